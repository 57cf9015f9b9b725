import type { Applications } from '../../../applications/applications.ts'
import { TaskLimit } from '../../../scheduling/task-limit.ts'
import { writeLeft } from './left-sessions.ts'

/** Applications at a time. */
const AT_ONCE = 4
/** Pause before an application that could not be opened is tried again, in milliseconds. */
const PAUSE_MS = 5000

/** Writes what sessions of ended processes have left in applications, whether these are open here or not. */
export class LeftApplications {
  readonly #applications: Applications
  readonly #limit = new TaskLimit(AT_ONCE)
  /** Those that are being written, wait for their turn, or have failed a short time ago. */
  readonly #begun = new Set<string>()

  constructor(applications: Applications) {
    this.#applications = applications
  }

  /** Begins with those that are not begun. */
  write(ids: readonly string[]): void {
    for (const id of shuffled(ids)) {
      if (this.#begun.has(id)) continue
      this.#begun.add(id)
      void this.#limit
        .run(() => this.#writeOne(id))
        .then(
          () => this.#begun.delete(id),
          // It is reported where it is opened, or another process serves it.
          () => setTimeout(() => this.#begun.delete(id), PAUSE_MS).unref(),
        )
    }
  }

  async #writeOne(id: string): Promise<void> {
    const application = await this.#applications.choose(id, '')
    const release = application.hold()
    try {
      await writeLeft(application.database, false)
    } finally {
      release()
    }
  }
}

/** In any order: processes that look at the same time begin with different ones. */
function shuffled(ids: readonly string[]): readonly string[] {
  return ids
    .map((id) => [Math.random(), id] as const)
    .sort(([one], [other]) => one - other)
    .map(([, id]) => id)
}
