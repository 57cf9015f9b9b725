import { describe } from 'bun:test'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { inLanes } from '../../support/lane.ts'
import { strictObserver } from '../../support/store.ts'
import { storeContract } from './contract.ts'

describe.each(inLanes([[30]], [[0], [30], [4096]]))('at most %d characters in a row', (inlineLength) => {
  storeContract({
    name: 'SQLite',
    open: (file, retention) => new SqliteStore(file, { ...retention, inlineLength }, strictObserver),
  })
})
