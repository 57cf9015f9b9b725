import { EventSource } from '../../../support/event-source.ts'
import type { Kind } from '../pace.ts'
import type { Random } from '../random.ts'
import type { Scene } from '../scene.ts'

/** Registered and kept: more than may be open at once, so that each visit may open one and close another. */
const POOL = 24
const KEYS = 40
/** What a visitor is told when all that may be open are busy. */
const BUSY = 503

/** Applications visited, opened for that and closed again, made and removed with all they hold. */
export async function applicationWork(scene: Scene, random: Random): Promise<readonly Kind[]> {
  const admin = await scene.admin()
  for (let at = 0; at < POOL; at++) {
    const settings = at % 2 === 0 ? { open: true } : { open: true, profile: 'firebase' }
    await admin.call('add', { id: `pool-${at}`, settings })
  }
  let made = 0

  const visit = async (): Promise<void> => {
    const ns = `ns=pool-${random.below(POOL)}`
    const target = `/rooms/r${random.below(KEYS)}.json?${ns}`
    const body = JSON.stringify({ text: random.text(random.below(500)) })
    const { status } = await scene.ask('http2', 'PUT', target, { body, expect: [200, BUSY] })
    if (status === BUSY) return
    await scene.ask('http1', 'GET', target, { expect: [200, BUSY] })
    if (random.chance(0.3)) await listen(`/rooms.json?${ns}`)
  }
  const listen = async (target: string): Promise<void> => {
    scene.requests++
    await using source = await EventSource.open(scene.listening, target, { http2: random.chance(0.5) })
    if (source.status === 200) await source.next()
  }
  const churn = async (): Promise<void> => {
    const id = `short-${made++}`
    const { secret } = await admin.call('add', { id, settings: {} })
    const target = `/a.json?ns=${id}&auth=${encodeURIComponent(secret)}`
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at])))
    await scene.ask('http1', 'PUT', target, { body, expect: [200, BUSY] })
    await scene.ask('http2', 'GET', `${target}&orderBy="$value"&limitToLast=3`, { expect: [200, BUSY] })
    await admin.call('remove', { id, deleteData: true })
    await scene.ask('http1', 'GET', target, { expect: [404] })
  }
  return [
    { name: 'application visited', perDay: 1_500, most: 4, run: visit },
    { name: 'application made and removed', perDay: 200, most: 1, run: churn },
  ]
}
