import type { ReadAnswer, ReadRequest, Reads } from '../../tree/read-request.ts'
import type { TreeReader } from './read.ts'
import type { SettingTexts } from './settings.ts'

/** Runs logic that reads, answering what it asks; pauses wherever the reading does. */
export function* runReads<T>(logic: Reads<T>, reader: TreeReader, settings: SettingTexts): Generator<void, T> {
  let step = logic.next()
  while (!step.done) step = logic.next(yield* answer(step.value, reader, settings))
  return step.value
}

function* answer(request: ReadRequest, reader: TreeReader, settings: SettingTexts): Generator<void, ReadAnswer> {
  switch (request.kind) {
    case 'node':
      return yield* reader.node(request.path, Number.POSITIVE_INFINITY)
    case 'leaf':
      return reader.leaf(request.path)
    case 'exists':
      return reader.exists(request.path)
    case 'count':
      return reader.count(request.path)
    case 'size':
      return reader.size(request.path)
    case 'setting':
      return settings.get(request.name)
    case 'pause':
      yield
      return undefined
    default:
      return request satisfies never
  }
}
