import type { Components } from '../components.js';
import { kotlinCalls } from './kotlin-calls.js';
import { kotlinClient, kotlinHead } from './kotlin-client.js';
import { appModels, type Calls, type Choice, type Member, type Model, type Words, type Zone } from './models.js';
import { commentLine, indented, literal } from './names.js';
import { valueTypes } from './value-types.js';

const keywords =
  'as break class continue do else false for fun if in interface is null object package return super this throw true try typealias ' +
  'typeof val var when';
const modifiers =
  'abstract actual annotation companion const crossinline data enum expect external final infix inline inner internal lateinit noinline open ' +
  'operator out override private protected public sealed suspend tailrec value vararg';
const library =
  'Any Annotation Array Boolean Byte Char Double Enum Error Exception Float Instant Int Iterable JsonArray JsonDecoder JsonElement ' +
  'JsonEncoder JsonNull JsonObject JsonPrimitive KSerializer List Long Map Nothing Number Object Pair Regex Serializable SerialName ' +
  'Set Short String Throwable Type Unit Json Decoder Encoder Moment MomentSerializer';

const words: Words = {
  types: library.split(' '),
  members: `${keywords} clear copy equals hashCode toJson toString class`.split(' '),
  values: `${keywords} ${modifiers} declaringClass entries key name ordinal values valueOf`.split(' '),
  calls: `${keywords} prefix push send token url json`.split(' '),
};

/** Prints the models of an app in Kotlin, for kotlinx.serialization, with a client for them. */
export function printKotlin(components: Components): string {
  const { models, zones, choices, calls } = appModels(components, words);
  const parts = [
    ...models.flatMap((model) => [dataClass(model, zones), ...(model.hasInput ? [inputClass(model, zones)] : []), fields(model)]),
    ...zones.map(zoneInterface),
    ...choices.map(enumeration),
    client(calls),
  ];
  return [kotlinHead, ...parts, kotlinClient, kotlinCalls].join('\n');
}

const text = (value: string): string => literal(value, (code) => utf16(Number.parseInt(code, 16)));

/** Characters beyond U+FFFF are escaped as two units. */
const utf16 = (code: number): string =>
  Array.from({ length: code > 0xff_ff ? 2 : 1 }, (_, index) => unit(String.fromCodePoint(code).charCodeAt(index))).join('');
const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
const about = (model: Model): string => `/** ${commentLine(model.about)} */\n`;

const { typeOf, inputOf } = valueTypes({
  scalars: {
    text: 'String',
    integer: 'Long',
    number: 'Double',
    flag: 'Boolean',
    moment: 'Moment',
    json: 'JsonElement',
  },
  id: 'Long',
  list: (item) => `List<${item}>`,
});

const zonesOf = (model: Model, zones: readonly Zone[]): readonly Zone[] => zones.filter(({ parts }) => parts.includes(model));

const inherits = (names: readonly string[]): string => (names.length === 0 ? '' : ` : ${names.join(', ')}`);

/** A data class has at least one property. */
function dataClass(model: Model, zones: readonly Zone[]): string {
  const lines = [
    ...(model.isComponent ? ['val id: Long? = null,'] : []),
    ...model.members
      .filter(({ isShown }) => isShown)
      .map((member) => `${annotation(member)}${property(member, typeOf(member.value))}`),
  ];
  const parents = inherits(zonesOf(model, zones).map(({ name }) => name));
  const head = `${about(model)}@Serializable\n`;
  return lines.length === 0
    ? `${head}class ${model.name}${parents}\n`
    : `${head}data class ${model.name}(\n${indented(lines)})${parents}\n`;
}

const annotation = ({ key, identifier }: Member): string => (key === identifier ? '' : `@SerialName(${text(key)}) `);
const property = ({ identifier }: Member, type: string): string => `val ${identifier}: ${type}? = null,`;

function inputClass(model: Model, zones: readonly Zone[]): string {
  const written = model.members.filter(({ isWritten }) => isWritten);
  const own = model.isComponent ? ['val id: Long? = null,'] : [];
  const lines = [...own, ...written.map((member) => property(member, inputOf(member.value)))];
  const pairs = [
    ...(model.isComponent ? [`"__component" to ${text(model.uid)},`, '"id" to id,'] : []),
    ...written.map(({ key, identifier }) => `${text(key)} to ${identifier},`),
  ];
  const parents = ['MangroveInput', ...zonesOf(model, zones).map(({ inputName }) => inputName)];
  return (
    `/** Values to write. What is null is left out; what \`clear\` names is set to null. */\ndata class ${model.inputName}(\n` +
    `${indented([...lines, `val clear: Set<${model.fieldName}> = emptySet(),`])})${inherits(parents)} {\n` +
    `    override fun toJson(): JsonObject = mangroveObject(\n${indented(['clear,', ...pairs], '        ')}    )\n}\n`
  );
}

/** Constants, because the values of an enumeration class cannot have all names. */
const fields = ({ fieldName, members }: Model): string =>
  `class ${fieldName} private constructor(override val key: String) : MangroveField {\n    companion object {\n` +
  `${indented(
    members.map(({ identifier, key }) => `val ${identifier} = ${fieldName}(${text(key)})`),
    '        ',
  )}    }\n}\n`;

const enumeration = ({ name, values }: Choice): string =>
  `/** A value that the service has added later is read as null. */\n@Serializable\nenum class ${name}(override val key: String) : MangroveField {\n` +
  `${indented([...values.map(([identifier, value]) => `@SerialName(${text(value)}) ${identifier}(${text(value)}),`), ';'])}}\n`;

function zoneInterface({ name, inputName, parts }: Zone): string {
  const reads = parts.map((part) => `${text(part.uid)} -> json.decodeFromJsonElement(${part.name}.serializer(), part)`);
  const writes = parts.map(
    (part) => `is ${part.name} -> named(${text(part.uid)}, json.encodeToJsonElement(${part.name}.serializer(), part))`,
  );
  return `@Serializable(${name}Serializer::class)
sealed interface ${name}

/** A component that this file does not know. */
data class ${name}Unknown(val part: JsonObject) : ${name}

object ${name}Serializer : MangroveZone<${name}>(${text(name)}) {
    override fun read(uid: String, part: JsonObject, json: Json): ${name} = when (uid) {
${indented([...reads, `else -> ${name}Unknown(part)`], '        ')}    }

    override fun write(part: ${name}, json: Json): JsonObject = when (part) {
${indented([...writes, `is ${name}Unknown -> part.part`], '        ')}    }
}

sealed interface ${inputName} : MangroveInput
`;
}

function client(calls: readonly Calls[]): string {
  const lines = calls.map(({ identifier, path, model, isSingle }) => {
    const input = model.hasInput ? model.inputName : 'MangroveInput';
    const kind = isSingle ? 'MangroveSingle' : 'MangroveCollection';
    return `val ${identifier} = ${kind}<${model.name}, ${input}>(this, ${text(path)}, ${model.name}.serializer())`;
  });
  return `/** Reads and writes entries of a service at \`url\`, with the token of a session or an API token. \`prefix\` is api.rest.prefix. */
class MangroveClient(url: String, token: String? = null, transport: MangroveTransport = MangroveHttp, prefix: String = "/api") :
    MangroveRequests(url, token, transport, prefix) {
${indented(lines)}}
`;
}
