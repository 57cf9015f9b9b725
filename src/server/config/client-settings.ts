import { Type } from '@sinclair/typebox'
import {
  defaultClientLimits,
  LEAST_IDLE_SECONDS,
  MOST_IDLE_SECONDS,
  MOST_SOCKET_SECONDS,
} from '../../http/limits/limit-settings.ts'
import { whole } from './whole.ts'

/** Settings of what clients may take, in the order of the reference. */
export const CLIENT_SETTINGS = {
  RATE_PER_ADDRESS: whole(
    0,
    defaultClientLimits.ratePerAddress,
    'requests per second from one address, and twice that at once, beyond which it gets 429; 0: unlimited',
  ),
  RATE_PER_APP: whole(0, defaultClientLimits.ratePerApp, 'the same to one application, from all addresses'),
  MAX_REQUESTS: whole(
    0,
    defaultClientLimits.maxRequests,
    'requests that wait for their answers at the same time; more get 503; 0: unlimited',
  ),
  MAX_REQUESTS_PER_ADDRESS: whole(
    0,
    defaultClientLimits.maxRequestsPerAddress,
    'the same from one address; more get 429; 0: unlimited',
  ),
  MAX_REQUESTS_PER_APP: whole(
    0,
    defaultClientLimits.maxRequestsPerApp,
    'the same to one application; more get 429; 0: unlimited',
  ),
  MAX_STREAMS: whole(0, defaultClientLimits.maxStreams, 'open streams; more get 503; 0: unlimited'),
  MAX_STREAMS_PER_ADDRESS: whole(
    0,
    defaultClientLimits.maxStreamsPerAddress,
    'the same from one address; more get 429; 0: unlimited',
  ),
  MAX_STREAMS_PER_APP: whole(
    0,
    defaultClientLimits.maxStreamsPerApp,
    'the same to one application; more get 429; 0: unlimited',
  ),
  MAX_SOCKETS: whole(
    0,
    defaultClientLimits.maxSockets,
    'connections of SDKs, over WebSockets or by long polling; more get 503; 0: unlimited',
  ),
  MAX_SOCKETS_PER_ADDRESS: whole(
    0,
    defaultClientLimits.maxSocketsPerAddress,
    'the same from one address; more get 429; 0: unlimited',
  ),
  MAX_SOCKETS_PER_APP: whole(
    0,
    defaultClientLimits.maxSocketsPerApp,
    'the same to one application; more get 429; 0: unlimited',
  ),
  MAX_LISTENS: whole(
    1,
    defaultClientLimits.maxListens,
    'listens of one connection of an SDK; more are answered with `unavailable`',
  ),
  RATE_PER_SOCKET: whole(
    0,
    defaultClientLimits.ratePerSocket,
    'messages per second of one connection of an SDK, and twice that at once; more wait; 0: unlimited',
  ),
  BYTE_RATE_PER_SOCKET: whole(
    0,
    defaultClientLimits.byteRatePerSocket,
    'the same in bytes, two for each character; 0: unlimited',
  ),
  MAX_SOCKET_BYTES: whole(
    1,
    defaultClientLimits.maxSocketBytes,
    'memory of the messages of one connection of an SDK that wait to be carried out; beyond it the connection is closed',
  ),
  SOCKET_TIMEOUT_S: Type.Integer({
    minimum: LEAST_IDLE_SECONDS,
    maximum: MOST_SOCKET_SECONDS,
    default: defaultClientLimits.socketSeconds,
    description:
      'time without a sign of life after which the client of a connection of an SDK has left: no answer to a ping, no next request of long polling, half a message, in seconds',
  }),
  MAX_BODIES: whole(
    0,
    defaultClientLimits.maxBodies,
    'request bodies that have not arrived yet; beyond it one of them gets 503; 0: unlimited',
  ),
  IDLE_TIMEOUT_S: Type.Integer({
    minimum: LEAST_IDLE_SECONDS,
    maximum: MOST_IDLE_SECONDS,
    default: defaultClientLimits.idleSeconds,
    description: 'time that a connection may be silent between requests, or while an answer is sent, in seconds',
  }),
  TRANSFER_TIMEOUT_S: whole(
    1,
    defaultClientLimits.transferSeconds,
    'time that a body may take to arrive, or a long answer to be sent, plus a second for every 16 KiB, in seconds',
  ),
  MAX_TRANSFER_BYTES: whole(
    1,
    defaultClientLimits.maxTransferBytes,
    'memory for arriving bodies, long answers that are being sent, events that wait for slow streams, and the keys of filtered ones; beyond it the client that holds the most is aborted',
  ),
} as const
