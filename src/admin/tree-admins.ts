import type { Applications } from '../applications/applications.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Path } from '../tree/path.ts'
import { chooseApplication } from './choose-application.ts'
import { OpenTree } from './tree-admin.ts'

/** Stands behind an export that is complete: no JSON text holds one outside of strings, and none of ours at all. */
export const END_OF_EXPORT = '\n'

/** Tells an export from an answer to a command. */
export const EXPORT_TYPE = 'application/vnd.dhole.export+json'

/** The trees of the applications of a server. */
export class TreeDesks {
  readonly #applications: Applications

  constructor(applications: Applications) {
    this.#applications = applications
  }

  /** Does something to a tree; the application stays open for so long. @throws Error when there is none of that name */
  async at<T>(id: string, action: (tree: OpenTree) => Awaitable<T>): Promise<T> {
    const application = await chooseApplication(this.#applications, id)
    const release = application.hold()
    try {
      return await action(new OpenTree(application.database))
    } finally {
      release()
    }
  }

  /** The text of a node of any size, as fast as it is taken. One that breaks off lacks its end. */
  async export(id: string, path: Path): Promise<Response> {
    const application = await chooseApplication(this.#applications, id)
    const release = application.hold()
    const pieces = application.database.export(path)
    const utf8 = new TextEncoder()
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          try {
            const { done, value } = await pieces.next()
            controller.enqueue(utf8.encode(done ? END_OF_EXPORT : value))
            if (!done) return
            release()
            controller.close()
          } catch (error) {
            release()
            controller.error(error)
          }
        },
        cancel: async () => {
          release()
          await pieces.return()
        },
      }),
      { headers: { 'Content-Type': EXPORT_TYPE } },
    )
  }
}
