import type { ApplicationOptions, DholeOptions } from '../../../src/index.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { SECRET } from '../../support/https-server.ts'
import { Counter } from './counter.ts'
import { MessageClient } from './message-client.ts'
import { Random } from './random.ts'
import { RuleClient } from './rule-client.ts'
import { TextClient } from './text-client.ts'
import { TreeClient } from './tree-client.ts'
import type { OnAcknowledged, Witness } from './witness.ts'

export const APPS = ['app', 'other'] as const
const TREE_CLIENTS = 4
const KIBI = 1024

/** A server whose log is shortened all the time and whose rows are small, so that much happens in a second. */
export function serverOptions(dataDir: string, walLimitBytes = 256 * KIBI): DholeOptions {
  const application: ApplicationOptions = { open: true, secret: SECRET, smsKey: SMS_KEY, sms: { intervalMs: 0 } }
  return {
    dataDir,
    applications: Object.fromEntries(APPS.map((app) => [app, application])),
    storage: { walLimitBytes, inlineLength: 300 },
  }
}

/** Those who work on one application. */
export interface Cast {
  readonly app: string
  readonly trees: readonly TreeClient[]
  readonly counter: Counter
  readonly rules: RuleClient
  readonly messages: MessageClient
  readonly text: TextClient
}

/** @param keepsAll whether everybody remembers what was so after each acknowledged request, not only after the last */
export function castOf(seed: number, onAcknowledged: OnAcknowledged, keepsAll = false): readonly Cast[] {
  const random = new Random(seed)
  return APPS.map((app) => {
    const counter = new Counter(app, onAcknowledged)
    const trees = Array.from({ length: TREE_CLIENTS }, (_, at) => {
      const key = `c${at}`
      return new TreeClient({ app, key, random: random.fork(), counter, onAcknowledged, keepsAll })
    })
    const messages = new MessageClient(app, random.fork(), onAcknowledged, keepsAll)
    return {
      app,
      trees,
      counter,
      rules: new RuleClient(app, onAcknowledged),
      messages,
      text: new TextClient(app, onAcknowledged),
    }
  })
}

export function witnessesOf({ trees, counter, rules, messages, text }: Cast): readonly Witness[] {
  return [...trees, counter, rules, messages, text]
}
