import { isDecodable } from '#base/values.js';

/** The address of a database as it was written. Neither problems nor warnings contain a part of the user name or the password. */
interface Address {
  /** The address without options that have no effect. */
  readonly uri: string;
  /** What is wrong, each as a part of a sentence that begins with the setting: `has spaces in it: …`. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

interface Parts {
  readonly isSrv: boolean;
  /** Everything before the hosts, without `@`; null if there is none. */
  readonly user: string | null;
  readonly hosts: readonly string[];
  /** Everything after the hosts. */
  readonly rest: string;
}

/** Checks the address of a MongoDB as far as it can be checked without the driver. */
export function readAddress(written: string): Address {
  const uri = written.trim();
  const wrapped = wrappings.find(({ form }) => form.test(uri));
  if (wrapped !== undefined) return { uri, problems: [wrapped.problem], warnings: [] };
  const parts = splitAddress(uri);
  if (parts === null) return { uri, problems: [], warnings: [] };
  const isAmbiguous = /^[^?]*@.*[/:]|\?[^=&]*@/.test(parts.rest); // the password has a / or ?
  const problems = isAmbiguous ? [unescaped] : [...userProblems(parts.user), ...hostProblems(parts)];
  return { ...withoutOldOptions(uri), problems: problems.slice(0, 1) };
}

const wrappings: readonly { readonly form: RegExp; readonly problem: string }[] = [
  { form: /^["'`]|["'`]$/, problem: 'has quotes around the address: write it without them' },
  { form: /^<|^\w+\s*=/, problem: 'must be the address alone, without other text around it' },
];

const unescaped =
  'has a character in the user name or password that must be escaped: write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, ' +
  '[ as %5B, ] as %5D and % as %25';

function splitAddress(uri: string): Parts | null {
  const [, scheme, after = ''] = /^mongodb(\+srv)?:\/\/([^]*)$/.exec(uri) ?? [];
  if (after === '') return null;
  const [head = ''] = /^[^/?]*/.exec(after) ?? [];
  const at = head.lastIndexOf('@');
  return {
    isSrv: scheme !== undefined,
    user: at < 0 ? null : head.slice(0, at),
    hosts: head.slice(at + 1).split(','),
    rest: after.slice(head.length),
  };
}

function userProblems(user: string | null): readonly string[] {
  if (user === null) return [];
  const [name = '', ...passwords] = user.split(':');
  if (name === '') return ['has no user name before the password'];
  if (passwords.length > 1 || /[@#[\]]/.test(user) || !isDecodable(user)) return [unescaped];
  return [name, ...passwords].some((part) => /^<.*>$/.test(part))
    ? ['still has a placeholder in angle brackets: replace it by the user name or the password']
    : [];
}

function hostProblems({ isSrv, hosts }: Parts): readonly string[] {
  const ports = hosts.flatMap((host) => /^(?:\[[^\]]*\]|[^:[\]]*):(.*)$/.exec(host)?.[1] ?? []);
  if (hosts.some((host) => host === '' || host.startsWith(':'))) return ['names no host, or has a comma too many'];
  if (hosts.some((host) => /\s/.test(host))) return ['has a space in the name of a host'];
  if (isSrv && ports.length > 0)
    return ['begins with mongodb+srv:// and has a port: remove the port, since DNS names it, or use mongodb:// with all hosts'];
  if (isSrv && hosts.length > 1) return ['begins with mongodb+srv:// and has several hosts: name one, or use mongodb://'];
  const isPort = (port: string): boolean => /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536;
  return ports.every(isPort) ? [] : ['has a port that is no number from 1 to 65535'];
}

/** Options of Strapi v3 and of older drivers, which the driver would refuse. */
const oldOptions: readonly string[] = [
  ...['useNewUrlParser', 'useUnifiedTopology', 'useCreateIndex', 'useFindAndModify', 'autoIndex', 'debug'],
  ...['autoReconnect', 'auto_reconnect', 'reconnectTries', 'reconnectInterval', 'bufferMaxEntries', 'bufferCommands'],
  ...['poolSize', 'keepAlive', 'keepAliveInitialDelay', 'numberOfRetries', 'validateOptions', 'promiseLibrary', 'native_parser'],
  ...['ha', 'haInterval', 'acceptableLatencyMS', 'secondaryAcceptableLatencyMS', 'connectWithNoPrimary', 'domainsEnabled'],
  ...['slaveOk', 'safe', 'fsync', 'autoCreate', 'minSize', 'sslValidate', 'sslCA', 'sslCert', 'sslKey', 'sslPass', 'sslCRL'],
];

const oldNames: ReadonlyMap<string, string> = new Map(oldOptions.map((name) => [name.toLowerCase(), name]));

function withoutOldOptions(uri: string): Pick<Address, 'uri' | 'warnings'> {
  const at = uri.indexOf('?');
  if (at < 0) return { uri, warnings: [] };
  const start = uri.slice(0, at);
  const nameOf = (option: string): string | undefined => oldNames.get((option.split('=')[0] ?? '').toLowerCase());
  const options = uri.slice(at + 1).split('&');
  const otherOptions = options.filter((option) => nameOf(option) === undefined);
  const names = options.flatMap((option) => nameOf(option) ?? []);
  if (names.length === 0) return { uri, warnings: [] };
  const warning = `has options of older drivers, which are ignored; remove ${names.join(', ')}`;
  return { uri: otherOptions.length === 0 ? start : `${start}?${otherOptions.join('&')}`, warnings: [warning] };
}
