import type { Application, Applications } from '../service/applications.ts'
import type { Messages } from '../sms/messages.ts'
import type { Awaitable } from '../tree/awaitable.ts'
import { chooseApplication } from './choose-application.ts'
import { type MessageDesk, OpenDesk } from './message-desk.ts'

/** The desks of the applications of a server. */
export class MessageDesks {
  readonly #applications: Applications
  readonly #messagesOf: (application: Application) => Messages

  constructor(applications: Applications, messagesOf: (application: Application) => Messages) {
    this.#applications = applications
    this.#messagesOf = messagesOf
  }

  /** Does something at a desk; the application stays open for so long. @throws Error when there is none of that name */
  async at<T>(id: string, action: (desk: MessageDesk) => Awaitable<T>): Promise<T> {
    const application = await chooseApplication(this.#applications, id)
    const release = application.hold()
    try {
      return await action(new OpenDesk(this.#messagesOf(application)))
    } finally {
      release()
    }
  }
}
