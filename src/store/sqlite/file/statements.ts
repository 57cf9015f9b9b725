import type { Connection } from './connection.ts'

/** Functions that prepare one statement each, by its name. */
export type StatementDefinitions = Readonly<Record<string, (connection: Connection) => unknown>>

/** The statements on one connection, by name. */
type Statements<Definitions extends StatementDefinitions> = {
  readonly [Name in keyof Definitions]: ReturnType<Definitions[Name]>
}

/** All definitions. */
export const definedStatements: StatementDefinitions[] = []

/**
 * Defines statements that are prepared when they are first used on a connection: each takes some 4 KB of memory, and a
 * connection uses few of them.
 * @returns makes the statements of a connection
 */
export function defineStatements<Definitions extends StatementDefinitions>(
  definitions: Definitions,
): (connection: Connection) => Statements<Definitions> {
  definedStatements.push(definitions)
  class PreparedStatements {
    readonly #connection: Connection

    constructor(connection: Connection) {
      this.#connection = connection
    }

    static {
      for (const [name, prepare] of Object.entries(definitions)) {
        Object.defineProperty(PreparedStatements.prototype, name, {
          get(this: PreparedStatements) {
            const value = prepare(this.#connection)
            // A property of its own: later uses read it without this function.
            Object.defineProperty(this, name, { value })
            return value
          },
        })
      }
    }
  }
  return (connection) => new PreparedStatements(connection) as unknown as Statements<Definitions>
}
