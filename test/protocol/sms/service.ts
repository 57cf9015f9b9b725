import type { ApplicationOptions } from '../../../src/options.ts'
import { type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'

/** Key of the vectors of the protocol. */
export const SMS_KEY = 'demo-sms-key-0123456789abcdef'

type SmsSettings = NonNullable<ApplicationOptions['sms']>

/** An application that may be asked as often as one likes, unless the settings say otherwise. */
export function application(sms: SmsSettings = {}, smsKey: string = SMS_KEY): ApplicationOptions {
  return { open: true, secret: SECRET, smsKey, sms: { intervalMs: 0, ...sms } }
}

/** Starts the plugin behind HTTPS. Default: one application named `app`. */
export function startSms(
  applications: Readonly<Record<string, ApplicationOptions>> = { app: application() },
): Promise<HttpsServer> {
  return startInProcess({ applications })
}
