import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Application } from './application.ts'
import type { Applications } from './applications.ts'

/**
 * Keeps an application open while a request is under way, but not while its body is awaited: a client may take its time
 * with that, and the number of open applications is limited.
 */
export class Stay {
  readonly #applications: Applications
  #application: Application
  #release: () => void
  #isHeld = true
  #isOver = false

  /** @param application chosen in this turn of the event loop */
  constructor(applications: Applications, application: Application) {
    this.#applications = applications
    this.#application = application
    this.#release = application.hold()
  }

  /** The application as it is open now: another object once it was closed and opened again. */
  get application(): Application {
    return this.#application
  }

  /** Lets go of the application: it may be closed meanwhile. */
  leave(): void {
    this.#isHeld = false
    this.#release()
  }

  /**
   * Holds the application again after `leave`, and opens it where it was closed: at once, or as a promise when another
   * one has to be closed first.
   * @throws as `Applications.choose`
   */
  resume(): Awaitable<void> {
    if (this.#isHeld) return undefined
    const chosen = this.#applications.choose(this.#application.id, '')
    if (chosen instanceof Promise) return chosen.then((application) => this.#hold(application))
    this.#hold(chosen)
  }

  /** The request has ended. */
  end(): void {
    this.#isOver = true
    this.#release()
  }

  #hold(application: Application): void {
    this.#application = application
    this.#isHeld = true
    if (!this.#isOver) this.#release = application.hold()
  }
}
