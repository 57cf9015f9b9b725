import type { Application } from '../applications/application.ts'
import type { Applications } from '../applications/applications.ts'
import { DholeError } from '../error.ts'

/** The application of that name, opened when it is not. @throws Error when there is none */
export async function chooseApplication(applications: Applications, id: string): Promise<Application> {
  try {
    return await applications.choose({ name: id, host: '' })
  } catch (error) {
    if (!(error instanceof DholeError) || error.code !== 'app-unknown') throw error
    throw new Error(`there is no application ${JSON.stringify(id)}`, { cause: error })
  }
}
