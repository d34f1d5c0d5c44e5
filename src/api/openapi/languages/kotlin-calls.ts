/** The requests of a Kotlin client. */
export const kotlinCalls = String.raw`@Serializable
data class MangroveCursors(val start: String? = null, val end: String? = null)

@Serializable
data class MangrovePagination(
    val page: Long? = null, val pageSize: Long? = null, val pageCount: Long? = null, val start: Long? = null,
    val limit: Long? = null, val total: Long? = null, val cursors: MangroveCursors? = null,
    val hasNext: Boolean? = null, val hasPrevious: Boolean? = null,
)

@Serializable
data class MangroveMeta(val pagination: MangrovePagination? = null)

@Serializable
data class MangrovePage<A>(val data: List<MangroveEntry<A>>, val meta: MangroveMeta = MangroveMeta())

@Serializable
private data class MangroveOnly<A>(val data: MangroveEntry<A>?)

/** An entry with its tag, for the parameter ifMatch of a write. The entry is null if a delete found none. */
data class MangroveFound<A>(val entry: MangroveEntry<A>?, val tag: String?)

/** A change of a copy; op is upsert or delete. */
@Serializable
data class MangroveChange<A>(val op: String, val id: Long, val attributes: A? = null)

@Serializable
data class MangroveSync(val token: String, val more: Boolean, val position: String? = null)

@Serializable
private data class MangroveSyncMeta(val sync: MangroveSync)

@Serializable
private data class MangroveChangesBody<A>(val data: List<MangroveChange<A>>, val meta: MangroveSyncMeta)

data class MangroveChanges<A>(val changes: List<MangroveChange<A>>, val sync: MangroveSync)

/** A write of a push. ids are numbers, or names of the app's own that begin with a dollar sign. from is what the app has read. */
data class MangroveWrite(
    val key: String, val op: String, val type: String, val id: Any, val set: Map<MangroveField, MangroveAssigned> = emptyMap(),
    val increment: Map<MangroveField, Number> = emptyMap(), val add: Map<MangroveField, List<Any>> = emptyMap(),
    val remove: Map<MangroveField, List<Any>> = emptyMap(), val locale: String? = null,
) : MangroveInput {
    override fun toJson(): JsonObject = mangroveObject(
        emptySet(), "key" to key, "op" to op, "type" to type, "id" to id, "locale" to locale, "set" to named(assigned()),
        "increment" to named(increment), "add" to named(add), "remove" to named(remove),
    )
    private fun assigned(): Map<MangroveField, Any> =
        if (op == "delete") set.mapValues { JsonObject(it.value.toJson() - "to") } else set
    private fun named(parts: Map<MangroveField, Any>) =
        if (parts.isEmpty()) null else JsonObject(parts.entries.associate { it.key.key to mangroveValue(it.value) })
}

/**
 * The value that an attribute gets, and the one that the app has read; without from the last write wins. If null has been read,
 * isKnown is true. A delete has from alone.
 */
data class MangroveAssigned(val to: Any? = null, val from: Any? = null, val isKnown: Boolean = from != null) : MangroveInput {
    override fun toJson() = JsonObject(
        mapOf("to" to mangroveValue(to)) + if (isKnown) mapOf("from" to mangroveValue(from)) else emptyMap()
    )
}

@Serializable
data class MangroveConflict(val from: JsonElement? = null, val mine: JsonElement? = null, val theirs: JsonElement? = null)

@Serializable
data class MangroveProblem(val status: Int, val name: String, val message: String, val details: JsonElement? = null)

/** status is applied, conflict, refused or waiting. */
@Serializable
data class MangroveWritten(
    val key: String, val status: String, val id: JsonPrimitive, val version: String? = null, val attributes: JsonObject? = null,
    val conflicts: Map<String, MangroveConflict> = emptyMap(), val error: MangroveProblem? = null,
)

@Serializable
private data class MangrovePushed(val data: List<MangroveWritten>)

@Serializable
private data class MangroveErrorBody(val error: MangroveProblem)

/** An error that the service has answered; problem is null if something else has, such as a proxy. */
class MangroveException(val status: Int, val problem: MangroveProblem?) : Exception(problem?.message ?: "HTTP $status")

class MangroveResponse(val status: Int, val body: String, val tag: String?)

fun interface MangroveTransport {
    suspend fun send(method: String, address: String, headers: Map<String, String>, body: String?): MangroveResponse
}

/** Sends requests with the classes of the platform. */
object MangroveHttp : MangroveTransport {
    override suspend fun send(method: String, address: String, headers: Map<String, String>, body: String?): MangroveResponse =
        withContext(Dispatchers.IO) {
            val connection = URI(address).toURL().openConnection() as HttpURLConnection
            try {
                connection.requestMethod = method
                headers.forEach { (name, value) -> connection.setRequestProperty(name, value) }
                if (body != null) {
                    connection.doOutput = true
                    connection.outputStream.use { it.write(body.toByteArray()) }
                }
                val status = connection.responseCode
                val stream = if (status < 400) connection.inputStream else connection.errorStream
                val text = stream?.use { String(it.readBytes()) } ?: ""
                MangroveResponse(status, text, connection.getHeaderField("ETag"))
            } finally {
                connection.disconnect()
            }
        }
}

open class MangroveRequests(val url: String, var token: String?, private val transport: MangroveTransport, val prefix: String) {
    /** Sends a request below the prefix. Throws a MangroveException if it is refused. */
    suspend fun send(
        method: String, path: String, parameters: List<Pair<String, String>> = emptyList(), body: JsonObject? = null,
        headers: Map<String, String> = emptyMap(),
    ): MangroveResponse {
        val query = parameters.joinToString("&") { (name, value) -> encoded(name) + "=" + encoded(value) }
        val address = url.trimEnd('/') + prefix + "/" + path + (if (query == "") "" else "?$query")
        val own = mapOf("Authorization" to token?.let { "Bearer $it" }, "Content-Type" to body?.let { "application/json" })
        val all = headers + own.mapNotNull { (name, value) -> value?.let { name to it } }
        val response = transport.send(method, address, all, body?.toString())
        if (response.status in 200..299) return response
        val problem = runCatching { mangroveJson.decodeFromString<MangroveErrorBody>(response.body).error }.getOrNull()
        throw MangroveException(response.status, problem)
    }

    /** Carries out writes that were made without a network. Send the same writes again after any failure. */
    suspend fun push(writes: List<MangroveWrite>): List<MangroveWritten> {
        val body = JsonObject(mapOf("writes" to mangroveValue(writes)))
        return mangroveJson.decodeFromString<MangrovePushed>(send("POST", "sync/push", body = body).body).data
    }

    private fun encoded(text: String) = URLEncoder.encode(text, "UTF-8")
}

open class MangroveEntries<A, I : MangroveInput>(
    protected val client: MangroveRequests, protected val path: String, protected val attributes: KSerializer<A>,
) {
    protected suspend fun one(
        method: String, path: String, query: MangroveQuery, input: I? = null, headers: Map<String, String?> = emptyMap(),
    ): MangroveFound<A> {
        val body = input?.let { JsonObject(mapOf("data" to it.toJson())) }
        val sent = headers.mapNotNull { (name, value) -> value?.let { name to it } }.toMap()
        val response = client.send(method, path, query.parameters(), body, sent)
        val entry = mangroveJson.decodeFromString(MangroveOnly.serializer(attributes), response.body).data
        return MangroveFound(entry, response.tag)
    }
    protected fun quoted(key: String?) = key?.let { "\"" + it + "\"" }
}

/** The entries of a collection type. key repeats a write safely; ifMatch is the tag of the entry as it must still be. */
class MangroveCollection<A, I : MangroveInput>(client: MangroveRequests, path: String, attributes: KSerializer<A>) :
    MangroveEntries<A, I>(client, path, attributes) {
    suspend fun find(query: MangroveQuery = MangroveQuery()): MangrovePage<A> =
        mangroveJson.decodeFromString(MangrovePage.serializer(attributes), client.send("GET", path, query.parameters()).body)
    suspend fun findOne(id: Long, query: MangroveQuery = MangroveQuery()) = one("GET", "$path/$id", query)
    suspend fun create(input: I, key: String? = null, query: MangroveQuery = MangroveQuery()) =
        one("POST", path, query, input, mapOf("Idempotency-Key" to quoted(key)))
    suspend fun update(id: Long, input: I, ifMatch: String? = null, key: String? = null, query: MangroveQuery = MangroveQuery()) =
        one("PUT", "$path/$id", query, input, mapOf("If-Match" to ifMatch, "Idempotency-Key" to quoted(key)))
    suspend fun delete(id: Long, ifMatch: String? = null, key: String? = null) =
        one("DELETE", "$path/$id", MangroveQuery(), null, mapOf("If-Match" to ifMatch, "Idempotency-Key" to quoted(key)))

    /** Returns what is new in a copy since a token, of a synced type; null if the copy must be deleted and begun anew. */
    suspend fun changes(token: String?, wait: Int? = null): MangroveChanges<A>? {
        val parameters = listOfNotNull(token?.let { "token" to it }, wait?.let { "wait" to it.toString() })
        return try {
            val body = client.send("GET", "sync/$path", parameters).body
            val found = mangroveJson.decodeFromString(MangroveChangesBody.serializer(attributes), body)
            MangroveChanges(found.data, found.meta.sync)
        } catch (error: MangroveException) {
            if (error.status != 410) throw error
            null
        }
    }
}

class MangroveSingle<A, I : MangroveInput>(client: MangroveRequests, path: String, attributes: KSerializer<A>) :
    MangroveEntries<A, I>(client, path, attributes) {
    suspend fun find(query: MangroveQuery = MangroveQuery()) = one("GET", path, query)
    suspend fun update(input: I, ifMatch: String? = null) = one("PUT", path, MangroveQuery(), input, mapOf("If-Match" to ifMatch))
    suspend fun delete() = one("DELETE", path, MangroveQuery())
}
`;
