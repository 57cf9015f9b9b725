/** One client of many that count together, with Firebase's SDK as it is published, in a process of its own. */
import { deleteApp, initializeApp } from '@firebase/app'
import { getDatabase, ref, runTransaction } from '@firebase/database'
import { answer, requestOf } from '../harness/child.ts'
import { COUNTER_PATH } from './room.ts'

export interface ContenderRequest {
  readonly url: string
  /** One after the other. */
  readonly transactions: number
}

export interface ContenderFigures {
  /** Given up after 25 attempts. */
  readonly maxRetry: number
  /** Failed otherwise. */
  readonly failed: number
  /** Attempts of all transactions. */
  readonly attempts: number
}

async function contend({ url, transactions }: ContenderRequest): Promise<ContenderFigures> {
  const app = initializeApp({ databaseURL: `${url.replace('127.0.0.1', 'localhost')}/?ns=app` })
  const counter = ref(getDatabase(app), COUNTER_PATH)
  let [maxRetry, failed, attempts] = [0, 0, 0]
  const count = (value: number | null) => {
    attempts++
    return (value ?? 0) + 1
  }
  for (let each = 0; each < transactions; each++) {
    try {
      const { committed } = await runTransaction(counter, count)
      if (!committed) failed++
    } catch (error) {
      if (String(error).includes('maxretry')) maxRetry++
      else failed++
    }
  }
  await deleteApp(app)
  return { maxRetry, failed, attempts }
}

if (import.meta.main) answer(await contend(requestOf<ContenderRequest>()))
