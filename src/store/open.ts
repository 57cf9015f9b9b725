import { fileURLToPath } from 'node:url'
import type { Observer } from '../observer.ts'
import type { SqliteOptions } from './sqlite/sqlite-options.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'

/** An open store of any engine. */
export type Store = SqliteStore

/** A URL of any scheme; a file path holds no `://`. */
const URL_SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const FILE_SCHEME = /^(?:file|sqlite):/i

/**
 * Opens the store of a place: a file path, or a URL such as `file:///var/lib/tree.sqlite` or `sqlite:./tree.sqlite`.
 * @throws TypeError for a URL that no engine serves, Error when the file is in use or damaged
 */
export function openStore(place: string, options: SqliteOptions, observer: Observer): Store {
  return new SqliteStore(fileOf(place), options, observer)
}

/** The file of a place. @throws TypeError for a URL that names no file */
function fileOf(place: string): string {
  if (FILE_SCHEME.test(place)) {
    const rest = place.slice(place.indexOf(':') + 1)
    if (rest === '' || /[?#]/.test(rest)) throw wrongPlace(place)
    return rest.startsWith('//') ? fileOfUrl(place, rest) : decoded(place, rest)
  }
  if (URL_SCHEME.test(place)) throw wrongPlace(place)
  return place
}

function fileOfUrl(place: string, rest: string): string {
  try {
    return fileURLToPath(`file:${rest}`)
  } catch (cause) {
    throw wrongPlace(place, cause)
  }
}

function decoded(place: string, path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (cause) {
    throw wrongPlace(place, cause)
  }
}

/** Leaves out what follows the scheme: a URL may hold a password. */
function wrongPlace(place: string, cause?: unknown): TypeError {
  const scheme = place.slice(0, place.indexOf(':') + 1)
  const expected = 'expected a file path, or a URL such as file:///path/tree.sqlite or sqlite:./tree.sqlite'
  return new TypeError(`cannot open a store at a URL of the form ${scheme}…: ${expected}`, { cause })
}
