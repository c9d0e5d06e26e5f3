// Names of fields, their coverage, and the cut (section 12: Contents, Agreement, The cut).
import { isObject } from './json.mjs'

const MANDATORY = '(m)'

export const isMandatory = name => name.endsWith(MANDATORY)
export const bare = name => (isMandatory(name) ? name.slice(0, -MANDATORY.length) : name)

/** The steps of an access name: none for `*`, the steps of a JSON pointer, or one member. */
export function stepsOf(name) {
  if (name === '*') return []
  if (!name.startsWith('/')) return [name]
  return name.slice(1).split('/').map(step => {
    if (/~(?![01])/.test(step)) throw new Error(`${name} is no JSON pointer`)
    return step.replaceAll('~1', '/').replaceAll('~0', '~')
  })
}

/** Reports whether the steps of one name begin with those of the other. */
export function covers(name, other) {
  const steps = stepsOf(other)
  return stepsOf(name).every((step, i) => step === steps[i])
}

/** Returns the part of data that these agreed names allow. */
export function cut(data, names) {
  return part(data, names.map(stepsOf)) ?? null
}

// undefined means that no part stays. JSON has no undefined, so it is no value. null stays null
// where steps end.
function part(value, paths) {
  if (paths.some(path => path.length === 0)) return value
  if (Array.isArray(value)) return value.map(v => part(v, paths)).filter(v => v !== undefined)
  if (!isObject(value)) return undefined
  const kept = Object.entries(value).map(([member, v]) => {
    const further = paths.filter(path => path[0] === member).map(path => path.slice(1))
    return [member, further.length ? part(v, further) : undefined]
  })
  return Object.fromEntries(kept.filter(([, v]) => v !== undefined))
}
