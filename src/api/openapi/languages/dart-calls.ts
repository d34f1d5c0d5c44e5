/** The requests of a Dart client. */
export const dartCalls = String.raw`/// What a list has. Cursors are those of an answer with cursors = true; more are parameters of the API with their values.
class MangroveQuery {
  const MangroveQuery({
    this.filter, this.fields = const [], this.sort = const [], this.populate = const [], this.page, this.pageSize, this.start, this.limit,
    this.cursors = false, this.after, this.before, this.withCount, this.locale, this.publicationState, this.more = const {},
  });
  final MangroveFilter? filter;
  final List<String> fields;
  final List<String> sort;
  final List<String> populate;
  final int? page;
  final int? pageSize;
  final int? start;
  final int? limit;
  final bool cursors;
  final String? after;
  final String? before;
  final bool? withCount;
  final String? locale;
  final String? publicationState;
  final Map<String, String> more;

  Map<String, String> get parameters {
    final out = <String, String>{};
    filter?.write("filters", out);
    for (final (name, values) in [("fields", fields), ("sort", sort), ("populate", populate)]) {
      for (final (index, value) in values.indexed) out["$name[$index]"] = value;
    }
    final paging = {
      "page": page, "pageSize": pageSize, "start": start, "limit": limit, "after": after, "before": before, "withCount": withCount,
      "cursors": cursors ? true : null,
    };
    for (final MapEntry(:key, :value) in paging.entries) {
      if (value != null) out["pagination[$key]"] = value.toString();
    }
    if (locale != null) out["locale"] = locale!;
    if (publicationState != null) out["publicationState"] = publicationState!;
    return out..addAll(more);
  }
}

/// A page. The pagination has page, pageSize, pageCount, start, limit, total, cursors, hasNext and hasPrevious, as they were asked for.
class MangrovePage<A> {
  const MangrovePage(this.entries, this.pagination);
  final List<MangroveEntry<A>> entries;
  final Map<String, Object?> pagination;
  String? get end => (pagination["cursors"] as Map?)?["end"] as String?;
}

/// An entry with its tag, for the parameter ifMatch of a write. The entry is null if a delete found none.
class MangroveFound<A> {
  const MangroveFound(this.entry, this.tag);
  final MangroveEntry<A>? entry;
  final String? tag;
}

/// A change of a copy; op is upsert or delete.
class MangroveChange<A> {
  const MangroveChange(this.op, this.id, this.attributes);
  final String op;
  final int id;
  final A? attributes;
}

class MangroveChanges<A> {
  const MangroveChanges(this.changes, this.token, this.more);
  final List<MangroveChange<A>> changes;
  final String token;
  final bool more;
}

/// A write of a push. ids are numbers, or names of the app's own that begin with a dollar sign. In set, each attribute has
/// {"from": what the app has read, "to": the new value}; without from the last write wins. A delete has from alone.
class MangroveWrite implements MangroveJson {
  const MangroveWrite({required this.key, required this.op, required this.type, required this.id, this.set, this.increment, this.add,
      this.remove, this.locale});
  final String key;
  final String op;
  final String type;
  final Object id;
  final Map<MangroveField, Map<String, Object?>>? set;
  final Map<MangroveField, num>? increment;
  final Map<MangroveField, List<Object>>? add;
  final Map<MangroveField, List<Object>>? remove;
  final String? locale;
  @override
  Map<String, Object?> toJson() => mangroveObject(const {}, {
        "key": key, "op": op, "type": type, "id": id, "set": set, "increment": increment, "add": add, "remove": remove, "locale": locale,
      });
}

/// An error that the service has answered; name and message are null if something else has, such as a proxy.
class MangroveException implements Exception {
  const MangroveException(this.status, this.name, this.message);
  final int status;
  final String? name;
  final String? message;
  @override
  String toString() => message ?? "HTTP $status";
}

class MangroveRequests {
  MangroveRequests(this.url, {this.token, this.prefix = "/api", http_.Client? http}) : http = http ?? http_.Client();
  final String url;
  String? token;
  final String prefix;
  final http_.Client http;

  /// Sends a request below the prefix. Throws a MangroveException if it is refused.
  Future<http_.Response> send(String method, String path,
      {Map<String, String> parameters = const {}, Object? body, Map<String, String?> headers = const {}}) async {
    final address = Uri.parse(url.replaceFirst(RegExp(r"/+$"), "") + "$prefix/$path");
    final request = http_.Request(method, parameters.isEmpty ? address : address.replace(queryParameters: parameters));
    if (body != null) {
      request.headers["Content-Type"] = "application/json";
      request.body = jsonEncode(mangroveValue(body));
    }
    if (token != null) request.headers["Authorization"] = "Bearer $token";
    headers.forEach((name, value) {
      if (value != null) request.headers[name] = value;
    });
    final response = await http_.Response.fromStream(await http.send(request));
    if (response.statusCode >= 200 && response.statusCode < 300) return response;
    Object? error;
    try {
      error = (jsonDecode(utf8.decode(response.bodyBytes)) as Map)["error"];
    } catch (_) {}
    throw MangroveException(response.statusCode, error is Map ? error["name"] as String? : null, error is Map ? error["message"] as String? : null);
  }

  /// Carries out writes that were made without a network. Send the same writes again after any failure. Each answer has key, status
  /// (applied, conflict, refused or waiting), id, version, attributes, conflicts and error.
  Future<List<Map<String, Object?>>> push(List<MangroveWrite> writes) async {
    final response = await send("POST", "sync/push", body: {"writes": writes});
    return mangroveParts(_json(response)["data"], (one) => one)!;
  }
}

Map<String, Object?> _json(http_.Response response) => (jsonDecode(utf8.decode(response.bodyBytes)) as Map).cast<String, Object?>();

String? _quoted(String? key) => key == null ? null : '"$key"';

class MangroveEntries<A, I extends MangroveJson> {
  const MangroveEntries(this.client, this.path, this.read);
  final MangroveRequests client;
  final String path;
  final MangroveReader<A> read;

  Future<MangroveFound<A>> one(String method, String path,
      {MangroveQuery query = const MangroveQuery(), I? input, Map<String, String?> headers = const {}}) async {
    final body = input == null ? null : {"data": input};
    final response = await client.send(method, path, parameters: query.parameters, body: body, headers: headers);
    final entry = mangrovePart(_json(response)["data"], (json) => MangroveEntry.read(json, read));
    return MangroveFound(entry, response.headers["etag"]);
  }
}

/// The entries of a collection type. key repeats a write safely; ifMatch is the tag of the entry as it must still be.
class MangroveCollection<A, I extends MangroveJson> extends MangroveEntries<A, I> {
  const MangroveCollection(super.client, super.path, super.read);

  Future<MangrovePage<A>> find([MangroveQuery query = const MangroveQuery()]) async {
    final json = _json(await client.send("GET", path, parameters: query.parameters));
    final entries = mangroveParts(json["data"], (entry) => MangroveEntry.read(entry, read))!;
    return MangrovePage(entries, ((json["meta"] as Map?)?["pagination"] as Map? ?? const {}).cast<String, Object?>());
  }

  Future<MangroveFound<A>> findOne(int id, [MangroveQuery query = const MangroveQuery()]) => one("GET", "$path/$id", query: query);
  Future<MangroveFound<A>> create(I input, {String? key}) => one("POST", path, input: input, headers: {"Idempotency-Key": _quoted(key)});
  Future<MangroveFound<A>> update(int id, I input, {String? ifMatch, String? key}) =>
      one("PUT", "$path/$id", input: input, headers: {"If-Match": ifMatch, "Idempotency-Key": _quoted(key)});
  Future<MangroveFound<A>> delete(int id, {String? ifMatch, String? key}) =>
      one("DELETE", "$path/$id", headers: {"If-Match": ifMatch, "Idempotency-Key": _quoted(key)});

  /// Returns what is new in a copy since a token, of a synced type; null if the copy must be deleted and begun anew.
  Future<MangroveChanges<A>?> changes(String? token, {int? wait}) async {
    try {
      final json = _json(await client.send("GET", "sync/$path", parameters: {
        if (token != null) "token": token,
        if (wait != null) "wait": "$wait",
      }));
      final changes = mangroveParts(
          json["data"], (one) => MangroveChange(one["op"] as String, one["id"] as int, mangrovePart(one["attributes"], read)))!;
      final sync = (json["meta"] as Map)["sync"] as Map;
      return MangroveChanges(changes, sync["token"] as String, sync["more"] as bool);
    } on MangroveException catch (error) {
      if (error.status == 410) return null;
      rethrow;
    }
  }
}

class MangroveSingle<A, I extends MangroveJson> extends MangroveEntries<A, I> {
  const MangroveSingle(super.client, super.path, super.read);
  Future<MangroveFound<A>> find([MangroveQuery query = const MangroveQuery()]) => one("GET", path, query: query);
  Future<MangroveFound<A>> update(I input, {String? ifMatch}) => one("PUT", path, input: input, headers: {"If-Match": ifMatch});
  Future<MangroveFound<A>> delete() => one("DELETE", path);
}
`;
