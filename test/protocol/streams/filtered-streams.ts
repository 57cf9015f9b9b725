import { corners, depths, patches } from './deep-streams.ts'
import type { StreamCase } from './interpreter.ts'
import { orders } from './sorted-streams.ts'
import { windows } from './window-streams.ts'

/** Streams of what a query chooses. */
export const filteredStreams: readonly StreamCase[] = [...windows, ...depths, ...corners, ...patches, ...orders]
