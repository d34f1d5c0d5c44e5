import { expect } from 'chai';
import { languages } from '#api/openapi/print-types.js';
import { fullAccess } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { trickyModels } from './tricky-models.js';

type Language = keyof typeof languages;

const print = (language: Language): string => languages[language](buildRegistry(trickyModels).registry, fullAccess);

/** Returns the declaration whose first line contains a text, up to the line that ends it. */
function declaration(code: string, head: string): string {
  const lines = code.split('\n');
  const first = lines.findIndex((line) => line.includes(head));
  const length = lines.slice(first).findIndex((line) => /^[})]/.test(line));
  return first < 0 ? '' : lines.slice(first, first + length + 1).join('\n');
}

describe('models of an app', () => {
  const cases: readonly (readonly [language: Language, head: string, parts: readonly string[]])[] = [
    ['swift', 'struct List', ['var class_: String?', 'var title: String?', 'var title2: String?', 'var metaTitle: String?']],
    ['swift', 'struct List', ['case class_ = "class"', 'case title = "Title"', 'case title2 = "title"', 'case x2Nd = "x-2nd"']],
    ['swift', 'struct List', ['var next: MangroveOne<List>?', 'var files: MangroveMany<UploadFile>?', 'var parts: [ListParts]?']],
    ['swift', 'enum ListGrade', ['case a = "A"', 'case a2 = "a-"', 'case class_ = "class"', 'case null = "null"']],
    ['swift', 'enum ListGrade', ['case noValueHere = "no $value \\"here\\" \\\\"', 'case grE = "gr\\u{f6}\\u{df}e"']],
    ['swift', 'enum ListGrade', ['case party = "\\u{1f389} party"']],
    [
      'swift',
      'struct MangroveAssigned:',
      [
        'init(to: MangroveJson?) { parts = ["to": to ?? .null] }',
        'init(deletedIf from: MangroveJson?) { parts = ["from": from ?? .null] }',
      ],
    ],
    [
      'swift',
      'struct MangroveAssigned:',
      ['parts = ["from": from ?? .null, "to": to ?? .null]', 'try parts.encode(to: encoder)'],
    ],
    ['swift', 'struct MangroveWrite:', ['var increment: [String: MangroveJson]?']],
    ['swift', 'struct MangroveClient:', ['var prefix = "/api"', 'of: "/+$", with: ""', '"\\(base)\\(prefix)/\\(path)"']],
    ['swift', 'extension MangroveClient ', ['var prefix_: MangroveSingle<Prefix, PrefixInput>']],
    ['swift', 'enum MangroveDates', ['guard let moment = date(text) else', 'return moment']],
    ['swift', 'enum ListParts:', ['case componentTreeNode(ComponentTreeNode)', 'case unknown(MangroveJson)']],
    ['swift', 'struct Date_:', ['enum CodingKeys', 'case createdAt = "createdAt"']],
    [
      'swift',
      'struct Thing:',
      ['var big: String?', 'var at: Date?', 'var data: MangroveJson?', 'var count: Int?', 'var day: String?'],
    ],
    [
      'swift',
      'struct ThingInput:',
      ['var code: String?', 'var owner: Int?', 'var tags: MangroveLinks?', 'var zone: [ThingZoneInput]?'],
    ],
    ['swift', 'struct ComponentTreeEmpty:', ['var id: Int?', 'case id = "id"']],
    [
      'kotlin',
      'data class List_(',
      ['@SerialName("class") val class_: String? = null,', '@SerialName("title") val title2: String?'],
    ],
    [
      'kotlin',
      'enum class ListGrade(',
      ['@SerialName("A") a("A"),', 'data_("data"),', 'name_("name"),', 'noValueHere("no \\$value \\"here\\" \\\\"),'],
    ],
    ['kotlin', 'enum class ListGrade(', ['@SerialName("\\ud83c\\udf89 party") party("\\ud83c\\udf89 party"),']],
    ['kotlin', 'data class MangroveWrite(', ['val increment: Map<MangroveField, Number>']],
    ['kotlin', 'private fun assigned(', ['if (op == "delete") set.mapValues { JsonObject(it.value.toJson() - "to") } else set']],
    ['kotlin', 'data class MangroveAssigned(', ['val isKnown: Boolean = from != null']],
    ['kotlin', 'open class MangroveRequests(', ['val prefix: String)', 'url.trimEnd(\'/\') + prefix + "/" + path']],
    ['kotlin', 'class MangroveClient(', ['prefix: String = "/api") :', 'val prefix_ = MangroveSingle<Prefix, PrefixInput>']],
    ['kotlin', 'data class Thing(', ['val at: Moment? = null,', 'val owner: MangroveOne<Person>? = null,', 'val big: String?']],
    ['kotlin', 'data class ComponentTreeNode(', ['val label: String? = null,', ') : ListParts']],
    ['kotlin', 'object ListPartsSerializer', ['"tree.node" -> json.decodeFromJsonElement(ComponentTreeNode.serializer(), part)']],
    [
      'kotlin',
      'class MangroveClient(',
      ['val token_ = MangroveCollection<Url, UrlInput>(this, "token"', 'val home = MangroveSingle<Home, HomeInput>(this, "home"'],
    ],
    ['dart', 'class List_ implements', ['final String? class_;', 'final String? title2;', 'title2: json["title"] as String?,']],
    [
      'dart',
      'class List_ implements',
      ['parts: mangroveParts(json["parts"], ListParts.fromJson),', 'final MangroveOne<List_>? next;'],
    ],
    ['dart', 'class ListGrade extends', ['static const noValueHere = ListGrade._("no \\$value \\"here\\" \\\\");']],
    ['dart', 'class ListGrade extends', ['static const party = ListGrade._("\\u{1f389} party");']],
    ['dart', 'class MangroveWrite implements', ['final Map<MangroveField, num>? increment;', 'Map<String, Object?>>? set;']],
    ['dart', 'class MangroveRequests', ['this.prefix = "/api"', 'url.replaceFirst(RegExp(r"/+$"), "") + "$prefix/$path"']],
    ['dart', 'class MangroveClient ', ['super.prefix', 'late final prefix_ = MangroveSingle<Prefix, PrefixInput>']],
    ['dart', 'class Date implements', ['const Date({this.createdAt, this.updatedAt});']],
    [
      'dart',
      'class Thing implements',
      ['final DateTime? at;', 'price: (json["price"] as num?)?.toDouble(),', 'final Object? data;'],
    ],
  ];
  const printed = new Map<Language, string>();
  before(() => {
    for (const language of ['swift', 'kotlin', 'dart'] as const) printed.set(language, print(language));
  });
  for (const [language, head, parts] of cases)
    it(`in ${language}: ${head} has ${parts[0] ?? ''}`, () => {
      const found = declaration(printed.get(language) ?? '', head);
      for (const part of parts) expect(found).to.include(part);
    });

  it('leave out components that contain themselves, passwords in answers, and types that cannot be used', () => {
    for (const [language, code] of printed) {
      const name = {
        swift: 'struct ComponentTreeNode:',
        kotlin: 'data class ComponentTreeNode(',
        dart: 'class ComponentTreeNode ',
      };
      expect(declaration(code, name[language as 'swift'])).not.to.include('left');
      expect(code).not.to.match(/undefined|\[object/);
    }
    expect(declaration(printed.get('swift') ?? '', 'struct Thing:'))
      .not.to.include('code')
      .and.not.include('secret');
  });
});
