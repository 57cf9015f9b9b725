import { type Static, Type } from '@sinclair/typebox'
import { addedApplication, listedApplication, rotation, serverState, shownKeys } from '../administration.ts'
import { valueOperation } from '../operation.ts'
import { settingsChange } from '../settings-change.ts'
import { applicationSettings, settingsInForce } from './application-settings.ts'
import { id, nothing } from './nothing.ts'

/** Operations that register, rotate, remove and describe applications. */
export const APPLICATION_OPERATIONS = {
  list: valueOperation(
    {
      access: 'operator',
      summary: 'Lists the applications: the default one, then the others by name.',
      input: Type.Object({}),
      result: Type.Unsafe<readonly Static<typeof listedApplication>[]>(Type.Array(listedApplication)),
    },
    ({ administration }) => administration.list(),
  ),
  // `Administration` checks the settings.
  add: valueOperation(
    {
      access: 'operator',
      changes: true,
      summary: 'Registers an application. Its keys are shown only now.',
      input: Type.Object({ id, settings: Type.Unknown() }),
      result: addedApplication,
    },
    ({ administration }, { id, settings }) => administration.add(id, settings),
  ),
  'application-settings': valueOperation(
    {
      access: 'application',
      summary:
        'The settings and limits in force of an application, without its keys; `own` has those that are set for it alone, and where they are changed.',
      input: Type.Object({ id }),
      result: applicationSettings,
    },
    async (target, { id }) => {
      using application = await target.open(id)
      return await settingsInForce(application, id, await target.administration.settings(id))
    },
  ),
  // `Administration` checks the new settings.
  'change-settings': valueOperation(
    {
      access: 'operator',
      changes: true,
      summary:
        'Changes settings of an application that was added: `null` takes one away. With `expected`, all of `own.settings` as they were read, it is refused when they are others by now. Streams end and begin anew. In force everywhere when it is answered.',
      input: Type.Object({ id, ...settingsChange.properties }),
      result: nothing,
    },
    ({ administration }, { id, ...change }) => administration.changeSettings(id, change),
  ),
  'check-rotation': valueOperation(
    {
      access: 'application',
      summary: 'Fails where `rotate` would.',
      input: Type.Object({ id, rotation }),
      result: nothing,
    },
    ({ administration }, { id, rotation }) => administration.checkRotation(id, rotation),
  ),
  rotate: valueOperation(
    {
      access: 'application',
      changes: true,
      summary: 'Replaces a key of an application, and answers the new one. Sessions and tokens of the old one end.',
      input: Type.Object({ id, rotation }),
      result: Type.String(),
    },
    ({ administration }, { id, rotation }) => administration.rotate(id, rotation),
  ),
  remove: valueOperation(
    {
      access: 'operator',
      changes: true,
      summary: 'Removes an application; its tree only with `deleteData`.',
      input: Type.Object({ id, deleteData: Type.Boolean() }),
      result: nothing,
    },
    ({ administration }, { id, deleteData }) => administration.remove(id, deleteData),
  ),
  keys: valueOperation(
    { access: 'local', summary: 'The keys of an application.', input: Type.Object({ id }), result: shownKeys },
    ({ administration }, { id }) => administration.keys(id),
  ),
  state: valueOperation(
    {
      access: 'operator',
      summary: 'The default application, the keys that settings fix, and the open applications.',
      input: Type.Object({}),
      result: serverState,
    },
    ({ administration }) => administration.state(),
  ),
} as const
