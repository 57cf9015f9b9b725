/** The data sets of the conformance examples. */
export const S = { scores: { ann: 55, bob: 21, cat: 80, dan: 93, eve: 5 } }
export const M = {
  m: {
    a: { h: 2 },
    b: { h: false },
    c: { h: 'x' },
    d: { n: 1 },
    e: { h: { z: 1 } },
    f: { h: true },
    g: { h: 2 },
    i: { h: -1.5 },
  },
}
export const K = { k: { '10': 't', '9': 'n', '1': 'o', a: 'A', B: 'b' } }
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

/** Parameters as a URL wants them; values may hold anything but `&` and `+`. */
export function escaped(parameters: string): string {
  return encodeURI(parameters).replaceAll('#', '%23')
}
