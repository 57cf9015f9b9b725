import type { FixedKeys } from '../../engines/application-keys.ts'
import type { DholeOptions } from '../../options.ts'
import { tlsNames } from '../tls/own-names.ts'
import { type FileTexts, isOwnMachine, proxiesOf, readIndexes } from './config.ts'
import { databaseServer } from './database-server.ts'
import type { Config } from './settings.ts'

/**
 * Options of the service for the settings of a server.
 * @param keys those that are known before the applications are opened
 */
export function dholeOptions(
  config: Config,
  { secret, smsKey }: FixedKeys,
  { rules, serviceAccount }: FileTexts,
): DholeOptions {
  const database = databaseServer(config)
  return {
    dataDir: config.DATA_DIR,
    ...(database === undefined ? {} : { database }),
    applications: {
      [config.APP_ID]: {
        ...(secret === undefined ? {} : { secret }),
        ...(smsKey === undefined ? {} : { smsKey }),
        ...(rules === undefined ? { open: isOwnMachine(config.HOST) && 'loopback' } : { rules }),
        ...(serviceAccount === undefined ? {} : { serviceAccount }),
        profile: config.PROFILE,
        indexPolicy: config.INDEX_POLICY,
        indexes: readIndexes(config),
      },
    },
    ...(config.BASE_DOMAIN === undefined ? {} : { baseDomain: config.BASE_DOMAIN }),
    trustProxy: proxiesOf(config),
    ownNames: tlsNames(config),
    ...(config.HSTS === undefined ? {} : { strictTransport: config.HSTS }),
    docs: true,
    failedCredentials: config.FAILED_CREDENTIALS,
    development: config.DEVELOPMENT,
    streams: { keepAliveMs: config.KEEP_ALIVE_MS },
    ...(config.STREAM_HOST === undefined ? {} : { streamHost: config.STREAM_HOST }),
    limits: {
      maxWriteBytes: config.MAX_WRITE_BYTES,
      maxLeafBytes: config.MAX_LEAF_BYTES,
      maxReadBytes: config.MAX_READ_BYTES,
      maxReadMs: config.MAX_READ_MS,
    },
    clients: {
      ratePerAddress: config.RATE_PER_ADDRESS,
      ratePerApp: config.RATE_PER_APP,
      maxRequests: config.MAX_REQUESTS,
      maxRequestsPerAddress: config.MAX_REQUESTS_PER_ADDRESS,
      maxRequestsPerApp: config.MAX_REQUESTS_PER_APP,
      maxStreams: config.MAX_STREAMS,
      maxStreamsPerAddress: config.MAX_STREAMS_PER_ADDRESS,
      maxStreamsPerApp: config.MAX_STREAMS_PER_APP,
      maxSockets: config.MAX_SOCKETS,
      maxSocketsPerAddress: config.MAX_SOCKETS_PER_ADDRESS,
      maxSocketsPerApp: config.MAX_SOCKETS_PER_APP,
      maxListens: config.MAX_LISTENS,
      ratePerSocket: config.RATE_PER_SOCKET,
      byteRatePerSocket: config.BYTE_RATE_PER_SOCKET,
      maxSocketBytes: config.MAX_SOCKET_BYTES,
      socketSeconds: config.SOCKET_TIMEOUT_S,
      maxBodies: config.MAX_BODIES,
      idleSeconds: config.IDLE_TIMEOUT_S,
      transferSeconds: config.TRANSFER_TIMEOUT_S,
      maxTransferBytes: config.MAX_TRANSFER_BYTES,
    },
    sms: {
      timeZone: config.SMS_TIME_ZONE,
      mobile: config.SMS_MOBILE,
      retentionDays: config.SMS_RETENTION_DAYS,
      intervalMs: config.SMS_INTERVAL_MS,
    },
    storage: {
      maxChanges: config.CHANGE_LOG_COUNT,
      maxAgeMs: config.CHANGE_LOG_AGE_MS,
      maxNotes: config.IDEMPOTENCY_COUNT,
      noteAgeMs: config.IDEMPOTENCY_AGE_MS,
      indexIdleMs: config.INDEX_IDLE_MS,
      maxIndexEntries: config.INDEX_ENTRIES,
    },
  }
}
