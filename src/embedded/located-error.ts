import { DholeError } from '../error.ts'
import { type Limits, MAX_DEPTH } from '../tree/limits.ts'
import { formatPath, type Path, type PathLike, toPath } from '../tree/path.ts'
import { isBranch, SERVER_VALUE, VALUE } from '../tree/value.ts'
import { planPatch, planPut } from '../tree/write.ts'

/** Puts the path of the call before the text of a `DholeError`. Returns other errors unchanged. */
export function locatedError(path: PathLike, error: unknown): unknown {
  return error instanceof DholeError ? at(typeof path === 'string' ? path : formatPath(path), error) : error
}

/** A requested write. */
export interface AskedWrite {
  readonly kind: 'put' | 'patch'
  readonly path: PathLike
  readonly json: unknown
}

/** As `locatedError`, with the path of the faulty part of the payload. */
export function locatedWriteError(write: AskedWrite, limits: Limits, error: unknown): unknown {
  if (!(error instanceof DholeError)) return error
  try {
    const path = toPath(write.path)
    const place = write.kind === 'patch' ? faultyTarget(path, write.json, limits) : faultyPart(path, write.json, limits)
    return at(formatPath(place), error)
  } catch {
    // The path itself is wrong.
    return locatedError(write.path, error)
  }
}

function at(place: string, error: DholeError): DholeError {
  return new DholeError(error.code, `${place}: ${error.message}`, { cause: error })
}

/** Path of the first member of a patch that is refused by itself; else the path of the patch. */
function faultyTarget(path: Path, json: unknown, limits: Limits): Path {
  for (const [key, member] of entriesOf(json)) {
    if (isRefused(() => planPatch(path, { [key]: member }, limits))) {
      return faultyPart([...path, ...key.split('/').filter((part) => part !== '')], member, limits)
    }
  }
  return path
}

/** Path of the deepest part of a payload that is refused by itself. Checks the payload again, so only after a failure. */
function faultyPart(path: Path, json: unknown, limits: Limits): Path {
  if (path.length > MAX_DEPTH) return path
  for (const [key, member] of entriesOf(json)) {
    if (key === VALUE || key === SERVER_VALUE) continue
    if (isRefused(() => planPut(path, { [key]: member }, limits))) return faultyPart([...path, key], member, limits)
  }
  return path
}

function entriesOf(json: unknown): readonly (readonly [string, unknown])[] {
  return isBranch(json) ? Object.entries(json) : []
}

function isRefused(plan: () => unknown): boolean {
  try {
    plan()
    return false
  } catch {
    return true
  }
}
