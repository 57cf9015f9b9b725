import { Command } from 'commander'
import { CASES_HELP } from '../rules/cases-help.ts'
import type { ExplainFlags } from '../rules/explain.ts'
import { type ReportFlags, withReport } from '../terminal/output.ts'

const RULES_FILE = 'rules, as `/.settings/rules.json` takes them; `-` is standard input'

/**
 * The commands `dhole rules …`: they need neither a server nor its data. Their modules are loaded on demand.
 * @see docs/reference/protocol.md#rules
 */
export function rulesCommand(): Command {
  const rules = new Command('rules').description('check, test and explain rules, without a server')
  withReport(rules.command('check'))
    .description('check whether the server would accept a rules file')
    .argument('<file>', RULES_FILE)
    .action(async (file: string, flags: ReportFlags) => {
      const { checkFile } = await import('../rules/check.ts')
      await checkFile(file, flags)
    })
  withReport(rules.command('test'))
    .description('compare the decisions of rules about a table of requests with the expected ones')
    .argument('<file>', RULES_FILE)
    .argument('<cases>', 'the table; `-` is standard input')
    .addHelpText('after', CASES_HELP)
    .action(async (file: string, table: string, flags: ReportFlags) => {
      const { testCases } = await import('../rules/test.ts')
      await testCases(file, table, flags)
    })
  rules
    .command('explain')
    .description('show what rules decide about a request, and which of them decides')
    .argument('<file>', RULES_FILE)
    .requiredOption('--path <path>', 'such as /users/ann')
    .option('--operation <name>', 'read, put, patch, post or delete', 'read')
    .option('--auth <json>', 'what rules see as `auth`, such as {"uid":"ann"}; null without a user', 'null')
    .option('--data <json>', 'payload of put, patch and post')
    .option('--tree <file>', 'JSON of the tree before, as format=export prints it (default: empty)')
    .option('--query <json>', 'query of a read, such as {"orderBy":"$key","limitToFirst":10}')
    .option('--now <ms>', 'time of the request in milliseconds since 1970 (default: now)')
    .option('--json', 'print the decision and its reasons as JSON')
    .action(async (file: string, flags: ExplainFlags) => {
      const { explainAttempt } = await import('../rules/explain.ts')
      await explainAttempt(file, flags)
    })
  return rules
}
