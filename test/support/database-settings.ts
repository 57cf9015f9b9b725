import type { DatabaseSettings } from '../../src/database/database-settings.ts'
import { defaultStreams } from '../../src/hub/hub.ts'
import { defaultLimits } from '../../src/tree/limits.ts'

/** A tree that everybody may read and write, over a store of the test's own. Trouble fails the test. */
export const databaseSettings: DatabaseSettings = {
  limits: defaultLimits,
  profile: 'wilddog',
  indexPolicy: 'allow',
  streams: defaultStreams,
  rules: '{"rules":{".read":true,".write":true}}',
  keepRules: false,
  onTroubled: (error) => {
    throw error
  },
}
