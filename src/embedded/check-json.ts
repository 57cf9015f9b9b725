import { DholeError } from '../error.ts'
import { MAX_DEPTH } from '../tree/limits.ts'
import { formatPath, type Path } from '../tree/path.ts'

/** Levels that `.sv` and its argument take. */
const DEEPEST_SPECIAL = 2

/**
 * Refuses what JSON has no form for, before it could be taken for an empty object, which deletes.
 * @param path where it is going to stand
 * @throws `bad-data` that names the exact place: `/a/b: expected a JSON value, got a Date`; `too-deep`
 */
export function checkJson(json: unknown, path: Path): void {
  check(json, [...path])
}

/** @param place keys down to the value; the same list again when this returns */
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
      // So that objects that contain themselves end. Special members may stand below the deepest key.
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

/** Elements that are missing from an array count as `undefined`. */
function* members(json: object): Generator<readonly [key: string, member: unknown]> {
  if (Array.isArray(json)) for (let index = 0; index < json.length; index++) yield [String(index), json[index]]
  else yield* Object.entries(json)
}

/** Whether its own members are all there is to it. What has a JSON form of its own, as a `Date`, must be converted first. */
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
