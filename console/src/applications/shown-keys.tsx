import { CopyButton } from '../parts/copy-button.tsx'
import { openDialog } from '../shell/dialogs.tsx'

/**
 * Shows keys that the server shows only once.
 * @param keys each key by its name
 * @returns resolves when the person has closed it
 */
export function showKeys(title: string, keys: Readonly<Record<string, string>>, note?: string): Promise<void> {
  return openDialog(title, (close) => (
    <>
      <p class="warning">Copy now what you need: it is shown only this once.</p>
      {Object.entries(keys).map(([name, key]) => (
        <div key={name} class="key">
          <h3>{name}</h3>
          <pre>
            <code>{key}</code>
          </pre>
          <CopyButton text={key} what={name} />
        </div>
      ))}
      {note !== undefined && <p>{note}</p>}
      <div class="actions">
        <button type="button" class="primary" onClick={close}>
          I have them
        </button>
      </div>
    </>
  ))
}
