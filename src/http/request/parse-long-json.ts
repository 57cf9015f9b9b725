import { runInTurns } from '../../scheduling/turns.ts'
import { parseJsonInSteps } from '../../tree/json/parse-json.ts'
import { writeBounds } from '../../tree/json/shape/json-shape.ts'

/**
 * Parses a long JSON text in several turns of the event loop.
 * @param maxBytes limit of its length, from which bounds of its contents follow
 * @throws as `parseJsonInSteps`
 */
export function parseLongJson(bytes: Uint8Array, maxBytes: number): Promise<unknown> {
  return runInTurns(parseJsonInSteps(bytes, writeBounds(maxBytes)))
}
