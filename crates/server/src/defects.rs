//! The defects that can be planted in the reference server.
//!
//! Owns their names, what each does, and the public report or source that it is modelled on; none
//! is planted by default. What one changes stands where the correct code decides. They combine:
//! none assumes that another is absent.

use seamstress_defects::{Defects, defects};

defects! { "the reference server":
    /// Answers every cursor of a live session with all events that it retains, of all streams, and
    /// goes on with all of them; it looks neither at the floor nor at the stream. Reported as the
    /// server's side of the incident of 2026-11-14, and for tutorial servers that replay their
    /// whole history (servers issue 4087).
    ReplayWholeRing = "replay-whole-ring";
    /// Answers a cursor that lies below the floor with all that is left of its stream, as if
    /// nothing were missing. rmcp 3.11.0 and turul do so; both source documents warn of it.
    ClampToFloor = "clamp-to-floor";
    /// Replays the event that the cursor names once more. rmcp does so because its id 0 repeats,
    /// so that it cannot tell whether the client has that event.
    InclusiveReplay = "inclusive-replay";
    /// Begins the replay one event too late: the index of the named event is taken for that of the
    /// last one to leave out. An off-by-one without a public report, which the successor check of
    /// the second source document is there to find.
    ReplaySkipsOne = "replay-skips-one";
    /// Replays all events after the cursor, of all streams of the session (servers issue 4087,
    /// mcp_dart issue 126).
    ReplayAllStreams = "replay-all-streams";
    /// Keeps the events of all sessions in one list, and replays all that have a higher number than
    /// the cursor, whosever they are (GHSA-84j6-jc92-77jm, fastmcp pull 4402).
    ReplayAllSessions = "replay-all-sessions";
    /// Replays at most three events and then goes on live, without a word about the rest.
    /// Cloudflare's agents do so after a thousand.
    ReplayLimit = "replay-limit";
    /// Accepts a cursor above the highest id issued and goes on live from there (go-sdk pull
    /// 1132).
    AcceptAhead = "accept-ahead";
    /// Ignores a cursor that it cannot use and goes on live on its stream, or on the standalone
    /// stream if it names none. turul and rust-mcp-sdk 1.x do so.
    AcceptUnknownAsFresh = "accept-unknown-as-fresh";
    /// Answers a cursor that it cannot find with the whole history of the stream (ai-agents-for-
    /// beginners issue 724).
    FullHistoryOnUnknown = "full-history-on-unknown";
    /// Reads the replay first and registers the connection a moment later; what is stored in
    /// between is never sent on it (python-sdk issue 587, typescript-sdk pull 2342).
    ScanThenRegister = "scan-then-register";
    /// Registers the connection first and reads the replay a moment later; what is stored in
    /// between is sent twice (hermes-webui issue 3371; turul).
    RegisterThenScan = "register-then-scan";
    /// Writes the replay beside the live events instead of before them, so that old and new
    /// mingle. rust-mcp-sdk 1.x does so.
    ReplayBesideLive = "replay-beside-live";
    /// Leaves a resumed connection open after the replay and never sends a live event on it, as
    /// rmcp's `EventStore` makes of a replay that is a finite stream.
    FiniteReplay = "finite-replay";
    /// Gives the priming event of a stream the id of the first event after it, so that the client
    /// that has seen only the one is taken to have the other (rust-sdk issue 791).
    PrimingIdCollides = "priming-id-collides";
    /// Does not store a result that comes while nobody is connected (vmcp issue 3, Cloudflare
    /// agents issue 1607).
    ResultNotStoredWhenDisconnected = "result-not-stored-when-disconnected";
    /// Forgets the stream of a call as soon as the response is produced; a resumption after that
    /// is answered 200 and ends. rmcp 0.2 to 3.11.0 (rust-sdk issue 958).
    StreamDroppedAtResult = "stream-dropped-at-result";
    /// Counts the ids anew with every reconnect: the title of the second source document.
    RebaseOnReconnect = "rebase-on-reconnect";
    /// Restores its sessions after a restart and counts their ids from the first again (rust-sdk
    /// pull 775).
    RebaseOnRestart = "rebase-on-restart";
    /// Counts the ids of a session anew when another replica takes it over, since the counter
    /// lives in the writer. csharp-sdk 2.2 does so.
    RebaseOnMigration = "rebase-on-migration";
    /// Numbers each stream by itself and leaves its name out of the id; a cursor goes to the first
    /// stream that has such a number. The seed of the incident of 2026-11-14.
    StreamCountersWithoutNamespace = "stream-counters-without-namespace";
    /// Answers a connection for a stream that it believes to be connected with 200 and comments
    /// only, for ever (rmcp since rust-sdk pull 682).
    SilentShadow = "silent-shadow";
    /// Lets the late end of a connection remove the registration of its successor: later events are
    /// stored, and never sent on the connection that is open (anubis-mcp issue 215).
    StaleDisconnectDeregistersSuccessor = "stale-disconnect-deregisters-successor";
    /// Takes a broken connection for a cancellation and ends its call without a word, which
    /// `basic/transports` says it should not (cxxmcp pull 68 does so on purpose).
    DisconnectCancelsCall = "disconnect-cancels-call";
    /// Never releases a connection that broke, nor its session (java-sdk issue 1021, supergateway
    /// issue 160).
    ConnectionLeak = "connection-leak";
    /// Answers a cursor that it cannot use with 200 and an immediate end, and keeps the session
    /// (rust-sdk issue 958).
    EmptyOn200 = "empty-200";
    /// Answers a cursor that it cannot use with 200 and silence, and keeps the session (java-sdk
    /// issue 1127).
    SilentOn200 = "silent-200";
    /// Answers a cursor that it cannot use with 404 and keeps the session, which a conforming
    /// client then drops while it is alive. claude-code issue 62198 tells the client's side: a 404
    /// on a GET is read as the end of the session.
    NotFoundWhileAlive = "not-found-while-alive";
    /// Answers a session id that it does not know with 400, which no client takes for a reason to
    /// begin anew (supergateway issue 123).
    UnknownSessionIs400 = "unknown-session-is-400";
    /// Sends every message on all open streams of the session. Without a public report;
    /// `basic/transports`, Multiple Connections, forbids it.
    Broadcast = "broadcast";
    /// Copies every response onto the standalone stream as well (agentgateway issue 2373).
    ResponseOnGet = "response-on-get";
    /// Remembers only the newest request of a session, and answers an older one under its id. A
    /// model of state that one request overwrites for another (typescript-sdk issues 742 and 2433,
    /// python-sdk issue 3060).
    OneRequestSlot = "one-request-slot";
    /// Sends the last progress of a call after its result, by a task that nobody waits for, and so
    /// on the standalone stream. Without a public report; `basic/utilities/progress` forbids it.
    ProgressAfterResult = "progress-after-result";
    /// Answers a call twice (csharp-sdk issue 128 tells of responses that multiply).
    AnswersTwice = "answers-twice";
    /// Answers a GET without a cursor with 200 and a body of JSON (prompts.chat pull 1117,
    /// webtrees-API issue 27).
    GetIsJson = "get-is-json";
}

/// Whether a server with these defects keeps an index of ids that outlives the events: those that
/// accept a cursor whose event is gone have to know its stream from somewhere.
pub(crate) fn keep_index(defects: &Defects<Defect>) -> bool {
    let readers = [
        Defect::ClampToFloor,
        Defect::AcceptAhead,
        Defect::AcceptUnknownAsFresh,
        Defect::FullHistoryOnUnknown,
    ];
    readers.into_iter().any(|defect| defects.has(defect))
}
