import { CopyButton } from '../parts/copy-button.tsx'
import { applications, serverKind } from '../shell/applications.ts'
import { hrefOf } from '../shell/router.ts'

const DUMP = 'pg_dump --format=custom --schema=dhole --file=dhole.dump "$DATABASE_URL"'
const RESTORE = 'pg_restore --clean --if-exists --dbname="$DATABASE_URL" dhole.dump'
const NEW_EPOCH = 'psql "$DATABASE_URL" -c "UPDATE dhole.application SET epoch = gen_random_uuid()::text"'

/** How backups are made where the server does not make them, and how one application is saved here. */
export function BackupsElsewhere() {
  return (
    <>
      {serverKind.value === 'database' ? <DatabaseBackups /> : <HostBackups />}
      <h2>Save one application here</h2>
      <p>
        <em>Export</em> on the page of a tree saves it with its priorities as one file of JSON, as of one moment while
        writes go on; <em>Import</em> puts it back. Rules, keys and text messages are not in it.
      </p>
      <ul>
        {(applications.value ?? []).map((id) => (
          <li key={id}>
            <a href={hrefOf('tree', [id])}>Tree of {id}</a>
          </li>
        ))}
      </ul>
    </>
  )
}

function DatabaseBackups() {
  return (
    <>
      <p>
        The applications are in PostgreSQL, and its own tools make the backups. This command copies all of them as of
        one moment, while the servers run; <code>dhole</code> is the schema, unless DATABASE_SCHEMA names another:
      </p>
      <Command text={DUMP} what="command of the backup" />
      <h2>Restore</h2>
      <ol>
        <li>Stop every Dhole server on the database.</li>
        <li>
          Put the copy back: <Command text={RESTORE} what="command of the restore" />
        </li>
        <li>
          Give the trees a new history, so that listeners read them again:{' '}
          <Command text={NEW_EPOCH} what="command of the new history" />
        </li>
        <li>Start the servers.</li>
      </ol>
      <p>
        Keys are in the backup; with SECRETS_KEY they are encrypted, and the same SECRETS_KEY must be set after a
        restore.
      </p>
    </>
  )
}

function HostBackups() {
  return (
    <p>
      Dhole runs inside another program, which decides about backups. <code>dhole backup FOLDER --data-dir DATA</code>{' '}
      on its machine copies the files of its data folder.
    </p>
  )
}

function Command({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div class="command">
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  )
}
