/** The beginning of a Dart file with models. */
export const dartHead = `// The content types of a Mangrove service, and a client for them. Generated from its models: changes are lost.
// Needs package:http.
// ignore_for_file: type=lint

import 'dart:convert';
import 'package:http/http.dart' as http_;
`;

/** What models of Dart are made of. */
export const dartClient = String.raw`abstract interface class MangroveJson {
  Map<String, Object?> toJson();
}

/// A name in the API: of an attribute, or of a value of an enumeration.
abstract class MangroveField {
  const MangroveField(this.key);
  final String key;
  @override
  String toString() => key;
}

typedef MangroveReader<A> = A Function(Map<String, Object?> json);

DateTime? mangroveMoment(Object? json) => json == null ? null : DateTime.parse(json as String);

C? mangroveChoice<C extends MangroveField>(Object? json, List<C> values) {
  for (final value in values) {
    if (value.key == json) return value;
  }
  return null;
}

A? mangrovePart<A>(Object? json, MangroveReader<A> read) => json == null ? null : read((json as Map).cast<String, Object?>());

List<A>? mangroveParts<A>(Object? json, MangroveReader<A> read) =>
    json == null ? null : [for (final part in json as List) read((part as Map).cast<String, Object?>())];

/// Returns values without those that are null, and null for what is cleared.
Map<String, Object?> mangroveObject(Set<MangroveField> clear, Map<String, Object?> values) => {
      for (final entry in values.entries)
        if (entry.value != null) entry.key: mangroveValue(entry.value),
      for (final field in clear) field.key: null,
    };

Object? mangroveValue(Object? value) {
  if (value is DateTime) return value.toUtc().toIso8601String();
  if (value is MangroveField) return value.key;
  if (value is MangroveJson) return value.toJson();
  if (value is MangroveLinks) return value.toJson();
  if (value is Map) return {for (final entry in value.entries) entry.key.toString(): mangroveValue(entry.value)};
  if (value is Iterable) return [for (final one in value) mangroveValue(one)];
  return value;
}

/// An entry. In a copy of sync, related entries have ids only.
class MangroveEntry<A> implements MangroveJson {
  const MangroveEntry(this.id, this.attributes);
  final int id;
  final A? attributes;
  static MangroveEntry<A> read<A>(Map<String, Object?> json, MangroveReader<A> reader) =>
      MangroveEntry<A>(json["id"] as int, mangrovePart(json["attributes"], reader));
  @override
  Map<String, Object?> toJson() => {"id": id, "attributes": mangroveValue(attributes)};
}

/// A relation or file to one; its entry is null if there is none. The attribute is null if it was not asked for.
class MangroveOne<A> implements MangroveJson {
  const MangroveOne(this.entry);
  final MangroveEntry<A>? entry;
  static MangroveOne<A>? read<A>(Object? json, MangroveReader<A> reader) {
    if (json is! Map) return null;
    final data = json.containsKey("data") ? json["data"] : json;
    return MangroveOne<A>(mangrovePart(data, (entry) => MangroveEntry.read(entry, reader)));
  }
  @override
  Map<String, Object?> toJson() => {"data": entry?.toJson()};
}

/// Relations or files to many.
class MangroveMany<A> implements MangroveJson {
  const MangroveMany(this.entries, [this.count]);
  final List<MangroveEntry<A>> entries;
  final int? count;
  static MangroveMany<A>? read<A>(Object? json, MangroveReader<A> reader) {
    if (json == null) return null;
    final data = json is Map ? json["data"] : json;
    if (data is Map) return MangroveMany<A>([], (data["attributes"] as Map)["count"] as int?);
    return MangroveMany<A>(mangroveParts(data, (entry) => MangroveEntry.read(entry, reader)) ?? []);
  }
  @override
  Map<String, Object?> toJson() => {"data": mangroveValue(entries)};
}

/// Relations or files to many, as they are written: all of them, or those that come and go.
class MangroveLinks {
  const MangroveLinks.set(List<int> this.ids) : connect = const [], disconnect = const [];
  const MangroveLinks.change({this.connect = const [], this.disconnect = const []}) : ids = null;
  final List<int>? ids;
  final List<int> connect;
  final List<int> disconnect;
  Object toJson() => ids ?? {"connect": connect, "disconnect": disconnect};
}

/// A condition: MangroveFilter.field("author.name", "eq", ["Ada"]). Fields of an app are ThingField.name.key.
sealed class MangroveFilter {
  const MangroveFilter();
  const factory MangroveFilter.field(String path, String sign, List<Object> values) = _Field;
  const factory MangroveFilter.all(List<MangroveFilter> filters) = _All;
  const factory MangroveFilter.any(List<MangroveFilter> filters) = _Any;
  const factory MangroveFilter.not(MangroveFilter filter) = _Not;
  void write(String place, Map<String, String> out);
}

class _Field extends MangroveFilter {
  const _Field(this.path, this.sign, this.values);
  final String path;
  final String sign;
  final List<Object> values;
  @override
  void write(String place, Map<String, String> out) {
    final name = place + path.split(".").map((one) => "[" + one + "]").join() + "[\$" + sign + "]";
    final isList = values.length != 1 || const ["in", "notIn", "between"].contains(sign);
    for (final (index, value) in values.indexed) {
      out[isList ? name + "[$index]" : name] = mangroveValue(value).toString();
    }
  }
}

class _All extends MangroveFilter {
  const _All(this.filters);
  final List<MangroveFilter> filters;
  @override
  void write(String place, Map<String, String> out) {
    for (final (index, filter) in filters.indexed) filter.write(place + "[\$and][$index]", out);
  }
}

class _Any extends MangroveFilter {
  const _Any(this.filters);
  final List<MangroveFilter> filters;
  @override
  void write(String place, Map<String, String> out) {
    for (final (index, filter) in filters.indexed) filter.write(place + "[\$or][$index]", out);
  }
}

class _Not extends MangroveFilter {
  const _Not(this.filter);
  final MangroveFilter filter;
  @override
  void write(String place, Map<String, String> out) => filter.write(place + "[\$not]", out);
}
`;
