import type { Applications } from '../applications/applications.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { chooseApplication } from './choose-application.ts'
import { type MessageDesk, OpenDesk } from './sms-admin.ts'

/** The desks of the applications of a server. */
export class MessageDesks {
  readonly #applications: Applications

  constructor(applications: Applications) {
    this.#applications = applications
  }

  /** Does something at a desk; the application stays open for so long. @throws Error when there is none of that name */
  async at<T>(id: string, action: (desk: MessageDesk) => Awaitable<T>): Promise<T> {
    const application = await chooseApplication(this.#applications, id)
    const release = application.hold()
    try {
      return await action(new OpenDesk(application.messages))
    } finally {
      release()
    }
  }
}
