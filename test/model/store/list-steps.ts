import { type Chosen, LIST, type ListStep } from './list-plan.ts'
import type { Mirror } from './mirror.ts'
import type { Model } from './model.ts'

function childKey(chosen: Chosen, model: Model): string {
  if ('key' in chosen) return chosen.key
  const keys = model.keys(LIST)
  return keys[chosen.number % keys.length] ?? 'k0'
}

/** Paths of one patch must not cover each other, so each child is named once. */
function patchMembers(step: ListStep & { kind: 'patch' }, model: Model): Map<string, unknown> {
  const members = new Map<string, unknown>()
  const named = new Set<string>()
  for (const [chosen, path, json] of step.members) {
    const key = childKey(chosen, model)
    if (named.has(key)) continue
    named.add(key)
    members.set(path === '' ? key : `${key}/${path}`, path === '.priority' && typeof json === 'boolean' ? 7 : json)
  }
  return members
}

function refillMembers(step: ListStep & { kind: 'refill' }, model: Model): Map<string, unknown> {
  return new Map([...model.keys(LIST).map((key) => [key, null] as const), ...step.members])
}

/** Does a step to both. */
export async function runListStep(
  step: Exclude<ListStep, { kind: 'reopen' | 'declare' }>,
  mirror: Mirror,
): Promise<void> {
  const { model } = mirror
  switch (step.kind) {
    case 'list':
      return mirror.put(LIST, step.json)
    case 'parent':
      return mirror.put(LIST.slice(0, -1), step.json)
    case 'root':
      return mirror.put([], step.json)
    case 'below':
      return mirror.put([...LIST, childKey(step.child, model), ...step.path], step.json)
    case 'patch':
      return mirror.patch(LIST, patchMembers(step, model))
    case 'refill': {
      const members = refillMembers(step, model)
      return members.size === 0 ? undefined : mirror.patch(LIST, members)
    }
    default:
      return step satisfies never
  }
}

/** The list, and now and then the list of lists or a child. */
export function placeToAsk(question: number, model: Model): readonly string[] {
  if (question < 2) return LIST
  return question === 2 ? LIST.slice(0, 1) : [...LIST, ...model.keys(LIST).slice(0, 1)]
}
