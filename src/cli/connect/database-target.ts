import type { Administration } from '../../admin/administration.ts'
import { DatabaseAdministration } from '../../admin/database-administration.ts'
import { DatabaseRegistry } from '../../admin/database-registry.ts'
import { PostgresEngine } from '../../engines/postgres-engine.ts'
import type { ApplicationSettings, DatabaseServer } from '../../options.ts'
import { defaultId } from './app-flag.ts'

/** The applications of a database, for a command that works beside the servers on it. */
export class DatabaseTarget {
  readonly engine: PostgresEngine
  readonly administration: Administration
  readonly #registry: DatabaseRegistry

  constructor(server: DatabaseServer) {
    this.engine = new PostgresEngine(server)
    const catalog = () => this.engine.catalog()
    this.#registry = new DatabaseRegistry(catalog)
    this.administration = new DatabaseAdministration({
      catalog,
      registry: this.#registry,
      default: { id: defaultId(), fixedKeys: [], isOpen: false },
    })
  }

  /** Settings of an application; `undefined` for the default one of a server. @throws Error when there is none */
  async settings(id: string): Promise<ApplicationSettings | undefined> {
    const registered = await this.#registry.find(id)
    // Only a server makes an application that is not there.
    if (registered === undefined) await this.administration.keys(id)
    return registered
  }
}
