import { runInTurns } from '../../scheduling/turns.ts'
import { measuredJson } from '../../tree/json/parse-json.ts'
import { writeBounds } from '../../tree/json/shape/json-shape.ts'
import { namesInMemory } from '../limits/name-budget.ts'

/**
 * Parses a long JSON text in several turns of the event loop, once there is room for its names.
 * @param maxBytes limit of its length, from which bounds of its contents follow
 * @throws as `parseJsonInSteps`
 */
export async function parseLongJson(bytes: Uint8Array, maxBytes: number): Promise<unknown> {
  const measured = await runInTurns(measuredJson(bytes, writeBounds(maxBytes)))
  const reservation = await namesInMemory.reserve(measured.names)
  try {
    const json = await runInTurns(measured.parse())
    reservation?.isFor(json)
    return json
  } catch (thrown) {
    reservation?.release()
    throw thrown
  }
}
