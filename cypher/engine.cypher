// name: identify_engine
// The version of the database behind the connection.
// mode: read
// unscoped: says nothing of any space
CALL dbms.components() YIELD name, versions
WITH name, versions WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version
