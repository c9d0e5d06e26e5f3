// ANEX for browsers and Node.js. README.md begins with a conversation.
export { AnexError, canonical, loads, parse, encode } from './message.mjs';
export { Key, agreementHash, cut, parseAgreement, verify } from './agreement.mjs';
export { Session, caps } from './session.mjs';
export { Talk, connect } from './talk.mjs';
export { Meeting, Minutes, join } from './meeting.mjs';
