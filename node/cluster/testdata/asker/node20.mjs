// js-libp2p uses Promise.withResolvers, which Node.js has from version 22 on.
Promise.withResolvers ??= function () {
  const all = {}
  all.promise = new this((resolve, reject) => Object.assign(all, { resolve, reject }))
  return all
}
