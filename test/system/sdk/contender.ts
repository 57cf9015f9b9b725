/** Clients of Firebase's JavaScript SDK that count together in transactions, each one after the other. */
import { initializeApp } from '@firebase/app'
import { getDatabase, ref, runTransaction } from '@firebase/database'

interface Counter {
  readonly n?: number
}

const [url = '', clients = '', each = '', places = ''] = process.argv.slice(2)
const paths = places.split(',')
/** Errors by their text, and the most attempts that a transaction took. */
const errors: string[] = []
let mostAttempts = 0

async function count(client: number): Promise<void> {
  const db = getDatabase(initializeApp({ databaseURL: url }, `client ${client}`))
  for (let at = 0; at < Number(each); at++) {
    let attempts = 0
    const increment = (value: Counter | null) => {
      attempts++
      return { ...value, n: (value?.n ?? 0) + 1 }
    }
    await runTransaction(ref(db, paths[at % paths.length]), increment).catch((error: Error) =>
      errors.push(error.message),
    )
    mostAttempts = Math.max(mostAttempts, attempts)
  }
}

await Promise.all(Array.from({ length: Number(clients) }, (_, client) => count(client)))
process.stdout.write(JSON.stringify({ errors, mostAttempts }), () => process.exit(0))
