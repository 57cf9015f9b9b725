import type { Application } from '../applications/application.ts'
import type { Applications } from '../applications/applications.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Messages } from '../sms/messages.ts'
import { chooseApplication } from './choose-application.ts'
import { type MessageDesk, OpenDesk } from './sms-admin.ts'

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
