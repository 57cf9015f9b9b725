/** The data sets of the conformance examples. */
export const S = { scores: { ann: 55, bob: 21, cat: 80, dan: 93, eve: 5 } }
export const P = {
  p: {
    x: { '.value': 1, '.priority': 'b' },
    y: { '.value': 2, '.priority': 10 },
    z: 3,
    w: { '.value': 4, '.priority': 2 },
  },
}
export const U = { users: { jack: { name: { first: 'Jack', last: 'Sparrow' }, age: 40 } } }
export const A = { a: { b: { c: 'cc', d: 'dd' }, x: { y: 'yy', z: 'zz' } } }

export const NAME = /^\{"name":"[-0-9A-Z_a-z]{20}"\}$/
/** A tag: opaque, no quotes, at most 64 characters. */
export const ETAG = /^[\w+/=-]{1,64}$/

/** A path of so many keys. */
export function deepPath(keys: number): string {
  return Array.from({ length: keys }, (_, index) => `/k${index}`).join('')
}

/** So many objects around a value, as JSON. */
export function deepJson(keys: number, leaf = '1'): string {
  return `${'{"k":'.repeat(keys)}${leaf}${'}'.repeat(keys)}`
}
