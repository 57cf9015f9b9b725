import { DholeError } from '../../error.ts'
import type { SmsParameters } from '../../sms/format/call-parameters.ts'
import type { Batch } from '../../sms/model/message.ts'
import { isMessageId, MESSAGE_ID_FORM } from '../../sms/model/message-id.ts'
import { isRrid, RRID_FORM } from '../../sms/model/rrid.ts'
import { jsonOf } from '../../tree/json/parse-json.ts'
import { given } from './checks.ts'

const MAX_MOBILES = 100
/** Longest part of a value that an error quotes. */
const LONGEST_SHOWN = 40

/**
 * Parses the batch that a call records.
 * @param isMobile whether a telephone number has the expected form
 * @throws `sms-no-mobiles`, `sms-too-many-mobiles`, `sms-bad-array`, `sms-bad-mobile`, `sms-bad-arguments`
 * @see docs/reference/protocol.md#taking-in
 */
export function parseBatch(parameters: SmsParameters, isMobile: (text: string) => boolean): Batch {
  const mobiles = mobilesIn(parameters, isMobile)
  const rrid = given(parameters, 'rrid')
  if (rrid !== undefined && !isRrid(rrid)) {
    throw new DholeError('sms-bad-arguments', `rrid: expected ${RRID_FORM}`)
  }
  return { rrid, mobiles, messageIds: messageIdsIn(parameters, mobiles.length) }
}

function mobilesIn(parameters: SmsParameters, isMobile: (text: string) => boolean): readonly string[] {
  const text = given(parameters, 'mobiles')
  if (text === undefined) throw new DholeError('sms-no-mobiles')
  const mobiles = parseStrings('mobiles', text)
  if (mobiles.length === 0) throw new DholeError('sms-no-mobiles')
  if (mobiles.length > MAX_MOBILES) throw new DholeError('sms-too-many-mobiles')
  const wrong = mobiles.find((mobile) => !isMobile(mobile))
  if (wrong !== undefined) throw new DholeError('sms-bad-mobile', `mobiles: ${shown(wrong)} is no telephone number`)
  const twice = repeated(mobiles)
  if (twice !== undefined) throw new DholeError('sms-bad-arguments', `mobiles: ${shown(twice)} is there twice`)
  return mobiles
}

function messageIdsIn(parameters: SmsParameters, count: number): readonly string[] | undefined {
  const text = given(parameters, 'messageIds')
  if (text === undefined) return undefined
  const ids = parseStrings('messageIds', text)
  if (ids.length !== count) throw new DholeError('sms-bad-array', 'messageIds: expected as many as mobiles')
  if (!ids.every(isMessageId)) {
    throw new DholeError('sms-bad-array', `messageIds: expected ${MESSAGE_ID_FORM} each`)
  }
  const twice = repeated(ids)
  if (twice !== undefined) throw new DholeError('sms-bad-array', `messageIds: ${shown(twice)} is there twice`)
  return ids
}

function parseStrings(name: string, text: string): readonly string[] {
  const json = jsonOf(text)
  if (Array.isArray(json) && json.every((item) => typeof item === 'string')) return json
  throw new DholeError('sms-bad-array', `${name}: expected a JSON array of strings`)
}

function repeated(texts: readonly string[]): string | undefined {
  return new Set(texts).size === texts.length ? undefined : texts.find((text, index) => texts.indexOf(text) !== index)
}

function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)
}
