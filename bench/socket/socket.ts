/** The chapter about the sockets of Firebase's SDKs. */

import database from '@firebase/database/package.json'
import type { Chapter } from '../harness/part.ts'
import { comebackPart } from './comeback.ts'
import { connectionsPart } from './connections.ts'
import { deliveryPart } from './delivery.ts'
import { requestsPart } from './requests.ts'
import { transactionsPart } from './transactions.ts'

export const socketChapter: Chapter = {
  title: 'Sockets of SDKs',
  counted: 'connections',
  parts: [connectionsPart, requestsPart, deliveryPart, transactionsPart, comebackPart],
  describe: ({ rounds, seconds, publishSeconds }) =>
    `${rounds} rounds, ${seconds} s of each load, ${publishSeconds} s of publishing; messages of 100 bytes. Transactions: @firebase/database ${database.version}.`,
}
