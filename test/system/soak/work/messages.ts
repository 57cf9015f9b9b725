import { encoded, FORM, mobiles, pushed, signed, timestamp } from '../../../protocol/sms/calls.ts'
import type { Kind } from '../pace.ts'
import type { Random } from '../random.ts'
import type { Scene } from '../scene.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Messages beyond their retention when they are brought in; an application deletes such ones a minute after it opened. */
const OLD_BATCHES = 50
const OLD_IN_BATCH = 20
/** Time in which they must have gone. */
const PURGED_MS = 90_000

/** An application of text messages, until the next takes its place. */
interface Office {
  readonly id: string
  readonly key: string
  readonly since: number
}

/**
 * Batches recorded, reported and handed over, old ones deleted. Each application lives for some minutes and is removed
 * with all it holds, so that what is kept stays bounded.
 */
export async function messageWork(scene: Scene, random: Random): Promise<readonly Kind[]> {
  const admin = await scene.admin()
  let number = 0
  let under = 0
  let office = await open()
  const leaving: Office[] = []

  async function open(): Promise<Office> {
    const id = `sms-${number++}`
    const settings = { open: true, sms: { intervalMs: 0, retentionDays: 1 } }
    const { smsKey } = await admin.call('add', { id, settings })
    const submittedAt = Date.now() - 2 * DAY_MS
    for (let batch = 0; batch < OLD_BATCHES; batch++) {
      const page = mobiles(OLD_IN_BATCH).map((mobile) => {
        const received = { receivedAt: submittedAt, producedAt: submittedAt }
        return { rrid: `old-${batch}`, mobile, status: 2 as const, deliveryStatus: 'DELIVRD', submittedAt, ...received }
      })
      await admin.call('sms-import', { id, page })
    }
    return { id, key: smsKey, since: performance.now() }
  }

  const call = async ({ id, key }: Office, method: string, path: string, fields: Readonly<Record<string, string>>) => {
    const [version, ...rest] = path.split('/')
    const query = encoded(signed({ timestamp: timestamp(), ...fields }, key))
    const target = `/api/${version}/${id}/${rest.join('/')}`
    const { text } =
      method === 'GET'
        ? await scene.ask('http2', 'GET', `${target}?${query}`)
        : await scene.ask('http1', 'POST', target, { headers: FORM, body: query })
    return (JSON.parse(text) as { data: unknown }).data
  }
  const report = async ({ id, key }: Office, body: string): Promise<void> => {
    const { body: _, ...fields } = signed({ timestamp: timestamp(), body }, key)
    await scene.ask('http1', 'POST', `/api/v1/${id}/report?${encoded(fields)}`, { body })
  }

  const batch = async (): Promise<void> => {
    const at = office
    under++
    try {
      const numbers = mobiles(10 + random.below(90), random.below(1_000_000))
      const { rrid } = (await call(at, 'POST', 'v1/batch/record', { mobiles: JSON.stringify(numbers) })) as {
        rrid: string
      }
      const data = numbers.map((mobile) => pushed(rrid, mobile, random.pick(['DELIVRD', 'UNDELIV', 'ENROUTE'])))
      await report(at, JSON.stringify({ type: 1, data }))
      const told = (await call(at, 'GET', 'v1/status', { rrid })) as readonly unknown[]
      if (told.length !== numbers.length) throw new Error(`${told.length} of ${numbers.length} messages are told`)
      await call(at, 'POST', 'v2/status', {})
      await call(at, 'GET', 'v1/dlr', { rrid, mobile: numbers[0] ?? '', stat: 'DELIVRD' })
    } finally {
      under--
    }
  }
  /** The one before is removed only now, so that no call is under way there. */
  const move = async (): Promise<void> => {
    const before = office
    office = await open()
    leaving.push(before)
    if (performance.now() - before.since > PURGED_MS) {
      const told = (await call(before, 'GET', 'v1/status', { rrid: 'old-0' })) as readonly unknown[]
      if (told.length > 0) throw new Error('messages beyond their retention are still there')
    }
    while (leaving.length > 1 || (under === 0 && leaving.length > 0)) {
      const gone = leaving.shift()
      if (gone !== undefined) await admin.call('remove', { id: gone.id, deleteData: true })
    }
  }
  return [
    { name: 'batch of text messages', perDay: 2_000, most: 4, run: batch },
    { name: 'messages beyond retention', perDay: 9, most: 1, run: move },
  ]
}
