import fc from 'fast-check'
import { Model } from '../../model/store/model.ts'
import { anyKey, anyPayload } from '../../support/payloads.ts'
import type { FuzzAnswer, FuzzRequest, Silence } from './exchange.ts'
import { MODEL } from './service.ts'

/** A good write to the tree that nobody else writes to. */
export interface LaneWrite {
  readonly method: 'PUT' | 'PATCH' | 'POST' | 'DELETE'
  readonly path: readonly string[]
  readonly json: unknown
  readonly http2: boolean
}

/** Few places, so that what is written is written to again, and deleted. */
const anyLaneKey = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', 'b') }, { weight: 1, arbitrary: anyKey })

export const anyLaneWrite: fc.Arbitrary<LaneWrite> = fc.record({
  method: fc.constantFrom('PUT', 'PUT', 'PATCH', 'POST', 'DELETE'),
  path: fc.array(anyLaneKey, { minLength: 1, maxLength: 3 }),
  json: anyPayload,
  http2: fc.boolean(),
})

/** Writes one after the other, and the model of what was acknowledged. */
export class Lane {
  readonly model = new Model()

  /**
   * Makes a write and, when it is acknowledged, makes it in the model too.
   * @returns what is wrong with the answer
   */
  async write(
    write: LaneWrite,
    send: (request: FuzzRequest, http2: boolean) => Promise<FuzzAnswer | Silence>,
  ): Promise<string[]> {
    const request = requestOf(write)
    const answer = await send(request, write.http2)
    if (typeof answer === 'string') return [`a good write was not answered: ${answer}`]
    // A POST of nothing writes nothing; one that names a priority there is nothing to, is refused.
    if (answer.status !== 200) return [`a good write was refused: ${answer.status} ${answer.body.toString('utf8')}`]
    const { method, path, json } = write
    if (method === 'DELETE') this.model.put(path, null, 0)
    else if (method === 'PUT') this.model.put(path, json, 0)
    else if (method === 'PATCH')
      this.model.patch(
        members(json).map(([key, value]) => [[...path, key], value] as const),
        0,
      )
    else {
      const { name } = JSON.parse(answer.body.toString('utf8')) as { name: string }
      this.model.put([...path, name], json, 0)
    }
    return []
  }

  /** As GET with `format=export` answers it. */
  get text(): string {
    return this.model.export([]) ?? 'null'
  }
}

function requestOf({ method, path, json }: LaneWrite): FuzzRequest {
  const target = `/${path.map(encodeURIComponent).join('/')}.json?ns=${MODEL}`
  const sent = method === 'PATCH' ? Object.fromEntries(members(json)) : json
  const body = method === 'DELETE' ? undefined : new TextEncoder().encode(JSON.stringify(sent))
  return { method, target, headers: [], body }
}

/** The members a PATCH can have: `__proto__` needs an object that has it as its own. */
function members(json: unknown): readonly (readonly [string, unknown])[] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return []
  return Object.entries(json).filter(([key]) => !key.startsWith('.') && key !== '__proto__')
}
