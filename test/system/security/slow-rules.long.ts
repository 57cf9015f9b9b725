import { expect, test } from 'bun:test'
import { canWatch } from '../../support/watched-server.ts'
import { writesDuring } from './rule-flood.ts'

const FLOOD = 48

test.skipIf(!canWatch)(
  'a flood of small writes with dear rules holds up neither the loop nor other writers',
  async () => {
    expect(await writesDuring(FLOOD)).toBeGreaterThan(FLOOD)
  },
)
