import { DholeError } from '../error.ts'
import { atOnce } from '../scheduling/steps.ts'
import { parsePayload } from './json/payload.ts'
import { checkKey, PRIORITY } from './key.ts'
import type { Limits } from './limits.ts'
import { checkPath, type Path } from './path.ts'
import { type Priority, parsePriority } from './priority.ts'
import { isBranch, ownMember, SERVER_VALUE, VALUE } from './value.ts'
import type { Write, WritePlan } from './write.ts'

/** Some members of a node that is too large for one request, checked like a whole node. */
export interface Part {
  /** One commit: each child is replaced, a null deletes it. */
  readonly plan: WritePlan
  /** Priority of the node itself, `null` for none, when the part has one. It is not in the plan. */
  readonly priority: Priority | null | undefined
}

/**
 * Plans a part of a node. Unlike a PATCH its keys are not paths: they contain no slash.
 * @param members parsed JSON, an object; it is changed
 * @throws as `planPut`; `bad-server-value` for a server value: an export has none
 */
export function planPart(path: Path, members: Record<string, unknown>, limits: Limits): Part {
  if (Object.hasOwn(members, VALUE)) throw new DholeError('bad-data')
  if (Object.hasOwn(members, SERVER_VALUE)) throw noServerValue()
  const priority = takePriority(members, path, limits)
  const keys = Object.keys(members)
  for (const key of keys) if (members[key] === null) checkKey(key, 'bad-key')
  checkPath(path, 'bad-key')
  const { value, serverValues } = parsePayload(members, path, limits)
  if (serverValues.length > 0) throw noServerValue()
  const branch = isBranch(value) ? value : undefined
  const writes = keys.map((key): Write => {
    return { kind: 'value', path: [...path, key], value: branch && ownMember(branch, key) }
  })
  return { plan: planChecked(path, writes), priority }
}

/** Throws unless a PUT would take the JSON, and it holds no server value. */
export function checkWhole(path: Path, json: unknown, limits: Limits): void {
  if (parsePayload(json, path, limits).serverValues.length > 0) throw noServerValue()
}

function takePriority(members: Record<string, unknown>, path: Path, limits: Limits): Priority | null | undefined {
  if (!Object.hasOwn(members, PRIORITY)) return undefined
  const json = members[PRIORITY]
  if (isBranch(json) && Object.hasOwn(json, SERVER_VALUE)) throw noServerValue()
  const priority = parsePriority(json)
  if (priority !== undefined) parsePayload(priority, path, limits)
  Reflect.deleteProperty(members, PRIORITY)
  return priority ?? null
}

function planChecked(path: Path, writes: readonly Write[]): WritePlan {
  const plan: WritePlan = {
    kind: 'patch',
    path,
    writes,
    serverValues: [],
    json: undefined,
    nodes: 0,
    textLength: 0,
    resolve: () => atOnce(() => plan),
  }
  return plan
}

function noServerValue(): DholeError {
  return new DholeError('bad-server-value', 'What was exported holds no server values')
}
