import type { Observer } from '../observer.ts'

type EventName = keyof Observer
type AnyEvent = (...values: readonly unknown[]) => void

/** Every event. */
const EVENTS: Readonly<Record<EventName, true>> = {
  storeFailed: true,
  storeTroubled: true,
  requestFailed: true,
  requestEnded: true,
  answerSent: true,
  requestRefused: true,
  credentialFailed: true,
  credentialsExceeded: true,
  proxyUnnamed: true,
  secretShort: true,
  streamOpened: true,
  streamClosed: true,
  streamResynced: true,
  streamSent: true,
  connectionOpened: true,
  carrierChanged: true,
  connectionEnded: true,
  messageReceived: true,
  messageSent: true,
  messageAnswered: true,
  leftValueEnded: true,
  sessionTaken: true,
  listenOpened: true,
  listenClosed: true,
  batchCommitted: true,
  logSynced: true,
  checkpointed: true,
  indexBegun: true,
  indexBuilt: true,
  messagesRecorded: true,
  messagesReported: true,
  statesReturned: true,
  applicationOpened: true,
  applicationClosed: true,
  databaseAway: true,
  databaseBack: true,
  databaseUsed: true,
  connectionLost: true,
  batchConflicted: true,
  batchDoubted: true,
  followerLagged: true,
  followerReset: true,
  hinted: true,
  readsChecked: true,
  processesSeen: true,
}

/** Passes every event to both. An event that neither has costs nothing. */
export function bothObservers(first: Observer, second: Observer): Observer {
  const both: Partial<Record<EventName, AnyEvent>> = {}
  for (const name of Object.keys(EVENTS) as EventName[]) {
    const one = eventOf(first, name)
    const other = eventOf(second, name)
    const only = one ?? other
    if (one !== undefined && other !== undefined) {
      both[name] = (...values) => {
        one(...values)
        other(...values)
      }
    } else if (only !== undefined) both[name] = only
  }
  // Each observer has the events that must be there.
  return both as unknown as Observer
}

function eventOf(observer: Observer, name: EventName): AnyEvent | undefined {
  return (observer[name] as AnyEvent | undefined)?.bind(observer)
}
