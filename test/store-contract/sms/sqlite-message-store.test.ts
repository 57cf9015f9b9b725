import { silentObserver } from '../../../src/observer.ts'
import { SqliteMessageStore } from '../../../src/sms/sqlite/sqlite-message-store.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { messageStoreContract } from './store-contract.ts'

messageStoreContract({
  name: 'SQLite',
  open: (file, format) => {
    const tree = new SqliteStore(file, {}, silentObserver)
    return { store: new SqliteMessageStore(tree.sideTables, format), close: () => tree.close() }
  },
})
