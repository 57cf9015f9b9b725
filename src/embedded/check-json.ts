import { DholeError } from '../error.ts'
import { MAX_DEPTH } from '../tree/limits.ts'
import { formatPath, type Path } from '../tree/path.ts'

/** Levels of `.sv` and its argument. */
const DEEPEST_SPECIAL = 2

/**
 * Refuses values without a JSON form, such as a `Date`: as an empty object they would delete the node.
 * @param path path of the value
 * @throws `bad-data` that names the exact path: `/a/b: expected a JSON value, got a Date`; `too-deep`
 */
export function checkJson(json: unknown, path: Path): void {
  check(json, [...path])
}

/** @param place keys down to the value; unchanged when this returns */
function check(json: unknown, place: string[]): void {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return
    case 'number':
      if (!Number.isFinite(json)) refuse(place, String(json))
      return
    case 'object':
      if (json === null) return
      // Also ends objects that contain themselves. Special members may be below the deepest key.
      if (place.length > MAX_DEPTH + DEEPEST_SPECIAL) throw tooDeep(place)
      if (!isJsonObject(json)) refuse(place, withArticle(json.constructor?.name ?? 'object'))
      for (const [key, member] of members(json)) {
        place.push(key)
        check(member, place)
        place.pop()
      }
      return
    case 'undefined':
      refuse(place, 'undefined')
      break
    default:
      refuse(place, withArticle(typeof json))
  }
}

/** Missing elements of an array count as `undefined`. */
function* members(json: object): Generator<readonly [key: string, member: unknown]> {
  if (Array.isArray(json)) for (let index = 0; index < json.length; index++) yield [String(index), json[index]]
  else yield* Object.entries(json)
}

/** Whether an object is plain. The caller must convert objects with `toJSON`, such as a `Date`. */
function isJsonObject(json: object): boolean {
  if (Array.isArray(json)) return true
  return Object.prototype.toString.call(json) === '[object Object]' && !('toJSON' in json)
}

function tooDeep(place: Path): DholeError {
  return new DholeError('too-deep', `${formatPath(place)}: ${new DholeError('too-deep').message}`)
}

function refuse(place: Path, found: string): never {
  throw new DholeError('bad-data', `${formatPath(place)}: expected a JSON value, got ${found}`)
}

function withArticle(name: string): string {
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}
