import { Argument, Command } from 'commander'
import { bashCompletion, zshCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const
type Shell = keyof typeof SHELLS

/** The command `dhole completion`: a script that completes the commands, flags and choices of a program. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a script that completes command lines in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      process.stdout.write(SHELLS[shell](program))
    })
}

const HELP = `
In bash and zsh:  eval "$(dhole completion bash)"   (zsh: eval "$(dhole completion zsh)")
In fish:          dhole completion fish | source
`
