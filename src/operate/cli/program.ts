import { ApiError, messageOf } from '#base/errors.js';
import { suggest } from '#base/nearest-name.js';
import { packageVersion } from '#base/package-root.js';
import { isUsageError } from './usage-error.js';
import { print, printError } from './print.js';

/** The exports of the module of a command. */
interface CommandModule {
  /** Help text, which begins with `usage:`. */
  readonly usage: string;
  /**
   * Runs the command. Returns the exit code. Throws an Error with a message for the user, a UsageError if the arguments are
   * wrong.
   */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/**
 * A command of the program `mangrove`. Its module is loaded when it is called, because the driver and the service take half a
 * second.
 */
interface ProgramCommand {
  readonly about: string;
  readonly load: () => Promise<CommandModule>;
}

const commands: Readonly<Record<string, ProgramCommand>> = {
  new: { about: 'create a project', load: () => import('./new.js') },
  start: { about: 'start the service', load: () => import('./start.js') },
  check: { about: 'list what production would refuse or ignore in a project', load: () => import('./check.js') },
  doctor: { about: 'list what is not safe or not fit for production, with the remedy', load: () => import('./doctor.js') },
  panel: { about: 'build the admin panel', load: () => import('./panel.js') },
  admin: { about: 'create administrators, and set their passwords', load: () => import('./admin.js') },
  models: { about: 'list, add, compare and remove content types and components', load: () => import('./models.js') },
  user: { about: 'create users, set their passwords and roles', load: () => import('./user.js') },
  token: { about: 'create, list and revoke API tokens', load: () => import('./token.js') },
  permissions: { about: 'grant actions to roles and revoke them', load: () => import('./permissions.js') },
  roles: { about: 'list, create, change and delete roles', load: () => import('./roles.js') },
  rules: { about: 'restrict roles to some entries and attributes', load: () => import('./rules.js') },
  locales: { about: 'list, add, change and remove languages', load: () => import('./locales.js') },
  webhooks: { about: 'list, create and delete webhooks, and deliver again', load: () => import('./webhooks.js') },
  search: { about: 'show and rebuild the indexes of the search engine', load: () => import('./search.js') },
  import: { about: 'import the content of a Strapi project', load: () => import('./import.js') },
  export: { about: 'write everything into an archive', load: () => import('./export.js') },
  backup: { about: 'back up everything as of one moment, while the service runs', load: () => import('./backup.js') },
  restore: { about: 'restore a backup', load: () => import('./restore.js') },
  mcp: { about: 'print the configuration of agents, and check their endpoint', load: () => import('./mcp.js') },
  types: { about: 'write the content types as TypeScript', load: () => import('./types.js') },
};

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(commands);

const help = (): string => {
  const width = Math.max(...commandNames.map(({ length }) => length)) + 2;
  return [
    'usage: npx mangrove <command>',
    ...Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}${about}`),
    '',
    'npx mangrove <command> --help prints details. Commands use the database of the working directory.',
  ].join('\n');
};

const isHelpOption = (word: string): boolean => word === '--help' || word === '-h';

const asksForHelp = ([name = '', ...args]: readonly string[]): boolean => name === 'help' || [name, ...args].some(isHelpOption);

/** Runs the command in the arguments, or prints the help or the version. Returns the exit code. */
export async function runProgram([name = '', ...args]: readonly string[]): Promise<number> {
  if (name === 'help' && args[0] !== undefined) return runProgram([args[0], 'help']);
  if (asksForHelp([name])) return succeed(help());
  if (name === '--version' || name === '-v') return succeed(packageVersion);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return fail(name === '' ? help() : `${unknown(name)}\n\n${help()}`);
  endWithShell();
  try {
    const { usage, run } = await command.load();
    if (asksForHelp(args)) return succeed(usage);
    return await run(args).catch((error: unknown) => {
      if (isUsageError(error)) return fail(`${error.message}\n\n${usage}`);
      throw error;
    });
  } catch (error) {
    return fail(textOf(error));
  }
}

const unknown = (name: string): string => `there is no command ${name}${suggest(name, Object.keys(commands))}`;

function succeed(text: string): number {
  print(text);
  return 0;
}

function fail(text: string): number {
  printError(text);
  return 1;
}

function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return missingFile(error) ?? messageOf(error);
  const { errors } = error.details ?? {};
  const messages = Array.isArray(errors)
    ? errors.map((one: unknown) => String(Reflect.get(Object(one) as object, 'message')))
    : [];
  return messages.length > 0 ? messages.join('\n') : error.message;
}

/** Returns the message for a file that does not exist; null for another error. */
function missingFile(error: unknown): string | null {
  const { code, path } = Object(error) as { readonly code?: unknown; readonly path?: unknown };
  return code === 'ENOENT' && typeof path === 'string' ? `there is no file or folder ${path}` : null;
}

/** Milliseconds between two looks at the parent process. */
const parentInterval = 250;

/** Returns whether a script of npm runs this program in the foreground, so that its shell lives as long as the program. */
export const isForegroundScript = (script: string): boolean => /\bmangrove\b/.test(script) && !/(^|[^&])&([^&]|$)/.test(script);

/**
 * Sends SIGTERM to this process when the shell that npm or npx started it in has ended. On a signal npm ends only that shell,
 * and the program would go on without it.
 */
function endWithShell(): void {
  if (!isForegroundScript(process.env['npm_lifecycle_script'] ?? '')) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, parentInterval).unref();
}
