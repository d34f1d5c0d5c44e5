import { scalarTypes } from '#model/schema/scalar-types.js';
import { isRecord } from '#base/values.js';

/** Names of secret values. */
const secret =
  /pass(word|wd|phrase|code)?s?$|password|passwd|passphrase|passcode|pwd|token|secret|salt|credential|authorization|bearer|cookie|jwt|otp$|^pin$|^auth$|keys?$|^(headers|--header)$/i;

/**
 * Returns a copy of a body for the log, in which `***` replaces secrets: values with secret names, and secrets within strings.
 */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map((item, index) => (isAnswer(value[index - 1]) ? mask : withoutSecrets(item)));
  if (!isRecord(value)) return value ?? null;
  const entries = Object.entries(value).map(([name, inner]) => [
    storable(name),
    secret.test(name) && inner !== null ? maskNamed(inner) : withoutSecrets(inner),
  ]);
  return Object.fromEntries(entries) as unknown;
}

const mask = '***';

/** Returns whether a word of a command line is an option with a secret value, such as `--token`. The next word is the secret. */
const isAnswer = (word: unknown): boolean => typeof word === 'string' && /^--[\w-]+$/.test(word) && secret.test(word);

/** Types of attribute definitions. */
const attributeTypes: ReadonlySet<unknown> = new Set([
  ...Object.keys(scalarTypes),
  ...['relation', 'media', 'component', 'dynamiczone'],
]);

/** Keys of an attribute definition that cannot contain secret values. */
const definitionKeys: ReadonlySet<string> = new Set([
  ...['type', 'required', 'unique', 'private', 'configurable', 'writable', 'visible', 'searchable', 'index', 'column'],
  ...['minLength', 'maxLength', 'min', 'max', 'relation', 'target', 'inversedBy', 'mappedBy', 'component', 'repeatable'],
  'multiple',
]);

/** Returns the masked value of a secret name. If it is an attribute definition, its type and similar keys are kept. */
function maskNamed(value: unknown): unknown {
  if (!isRecord(value) || !attributeTypes.has(value['type'])) return mask;
  const entries = Object.entries(value).map(([name, inner]) => [
    storable(name),
    definitionKeys.has(name) ? withoutSecrets(inner) : mask,
  ]);
  return Object.fromEntries(entries);
}

/** Patterns of secrets within strings, with their replacements. */
const patterns: readonly (readonly [secret: RegExp, masked: string])[] = [
  // user and password in a URL
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]*@/gi, `$1${mask}@`],
  // parameter of a URL, word of a command line, or header
  [
    /([?&;\s]|^|--)([\w-]{0,40}(?:pass(?:word|wd|phrase|code)?|pwd|token|secret|salt|credential|jwt|key)s?=)[^\s&;"'<>]+/gi,
    `$1$2${mask}`,
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
  // JSON Web Tokens, password hashes, private keys
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, mask],
  [/\$2[aby]\$\d\d\$[./\w]{53}/g, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
];

const maskText = (text: string): string => patterns.reduce((masked, [pattern, left]) => masked.replaceAll(pattern, left), text);

/** Returns a key that MongoDB does not read as an operator or path. */
const storable = (name: string): string => name.replace(/^\$/, '＄').replaceAll('.', '．');
