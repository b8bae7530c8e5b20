-- migration 0012, by the code of commit e827369; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0012');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-7b6699ea',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-e195e04f',1700000085,'main',36.0);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, version INTEGER DEFAULT '1' NOT NULL, weighed_at_s FLOAT, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-7b6699ea',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173DA74126994E9BF995A2106499B6D5C892AB4B3299C1FC7B0F6DCB4E5A2C0A14D8EEFAC9A2285E8E0E49BD09E72F328AE7874FBBE9DB6F771BF1CD57E2F94D985A3CF3FF874FD5D3D3F1484A6C441C48F39E533D61975C4D35C4DAF7BD72D0FF225250C66D87ABF8CAE21A5A2E5BBB81EA1907DF37E2E2C3C97A55978DEE3A50185480C544214E4A0E27A3EC8D436CCB4ABDDCAC2ECA255A8CB821782D6148BAD1A750397904D65A5F292B2B957457740DDCA864BCE3C439E98DF0D537D2C99C8973831FD39B57B6B2AA8EB66B6FAD0A305B93AAAD71C4D84D46AB5CB794648E4B4830C3CBF160E77328F2B3B299A46F64323DAD1A65DB3BA41D6157342A268A49CC70C804A020FFC2C0AA416993AE9CA8BB22A0C15BA37959E1841C5D40DA9817AAE572B8B8183A15474BCB3DF6B833E867978C954BD293FE3BFCD57CA9B20D4A8F291F764C937E423AC0A30A898308345D6C0A99781FA144D50F96E65B85823671B13C61349F5F90F4390D795DDE5D5DA0EFD904EAC9A5198948290FD36FAD922A8A9174A049E77D4E9843CDCE19D7328F73D59B04024995EE0A60CCEC0C1E8E51EE6FD8229E1F992A23BF614416A333760DA4B15B0C16D2D7ECAF644B31AA96D6646AEFB082D1130DE967DC3705D9C8265F2978F1DC281B816C4C7E400574E4A48AA7B50AEEB0A210FC4C3A400043E067D9D3390460B8540F57D404E21DD3167E58AF95DD7ECF888698FF7AC8887BBBFFC849F53E5C656BD033C6EED10E596A9FD9FABC62A2D8957CD768600D3A8116A01666B05BD10C873DF70FD3DFC0A5EAB3893EC82AEB53C9E47DF353889DB2CD1ADFFF2EBC06C212DEC35843FF69785FF9A8D1F35D73BF477BF54D436164ED9BB8691DBF7260ED41DE7DA8691C001BF13A727AD2E6D675D3E0505BCC18742753CB26F87EAC3C8C96E3F1E971AA3C5F450AE77F28CB882EAAD9F8D816C1F017146394F71E1873CE64FFBB4C0A55FE248DC7BF96C6E17769144AFD491AC77F3D8BB1430753BA4BBC1874A8658A75CAB5CBD6808634CD4F1CDC81881653985B384FE4D0F25360B77DE04785B7B5BF380EE9698A25058392B8180739A49F8B8483899D0A343783C9BD1C548E24C17CD403D43FB289CAFBB48A0E2C627BB2789A46DE582DFC1091282D167F2E58C5613A7FBF7D9803C443C6F4B99795B11678C631C712259E028489735DDA7B20A5790EAC73A4A08A3E8179A9092F95BAD830FA3467C1F7EBD45919AB2A4BF350F4B91ADF49378B0565F4882835C6A6F5AD3CE12DE8CAEC06501D863E0BF820A333DFD300F8CB2FE6299BE6D11EA801A8B31F52C11A34099EBE3F00EF1481DF',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-e195e04f',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB6EDB3810FD173DBB86632769E35F290A82A246126B8A6479B1E304F9F73D238992DD6251A0C05EF4240E8773393C33C3F7CABA8B88D5F1E1F36EFAF6DBDDA6FAEEEAEAF85EE9A63AF2FF277A7879A2DD635B6DAAE849F19E9503613705A9ADB61D76941B066971E4EB24DDFA6BF58DC50D146D366653913DE3ECC7A6BAB870324E3665A3BF7A0A5E06184D14E2A46471328A415B84B7ACE4EBCDEA226DA2C588F5C1290143C28E3E2B999343609D71B534A29649F54557C38D4CDA59CE9DF3DE54AEFE4E2AE933717AF0A307FDC65656D5D176E38C9101661B928DD19618BEC9689D9B8E92C87109096678391EEC5D0E457E96269370AD487AA055A36C3B8BB423EC56AD8C8962AA6638440250907F6560A5974AA72B276AAF08C83BA3152F6B9C10A30B485BFD4A8D580E1717BE9771B4B45CE5803B837EB6491BB1243DE97FC05FC3972ABA20D598F261C74C1926A4033CCA90388840D3C5A69089F7114A94833734DF2A14948E8BE509A3F9FC82A4CBC9E775797775817E641D68209B662422A5ECA7DF4626591423A94093CEC79C30879AED4CD898EB41271048C8745703636667F0708C727FC396EAF8C85429AC17C5E88C5D0B69EC178385F40DFB2BD9528CB2A33599C659AC60F4443EFD8CFBA6201BD9E41B05571D5B6922908DC97954404F56C8785AABE00E2B0AC1CDA4030430047E963D954300864BF570454D20DE316DE187714A9AED8F8C6888F9AF7C46DCDBFD132735B870159D46DB181B48E7B3502EB3F579C544312BF9AE51C31A74022D402DCC60B755EB0F7BEE1F7AB8814B36671D5D107556A792C9C7E6A7107B69DA35BEFF5D782D8425BC87B186FED3F0BEF151ADE6BBE6968FF6EADA96C2C8DAF7EAA675FCCA81B50739FBA9A171006CAAB791D39336B7AE9B0687DA62C6A03BE946B4C10D63E53DBFE07B7E9C2ACFD591C2F96FCA32A28BAA71F2705B04C35F518C51DC7B60CC3993FDEF322954F993341EFFB5340EBF4BA350EA4FD278F9C7B3183B74D0A5BBC48B46875AA6582F6DB76C7934A4697EE2E00E443498C2DCC27922878E9F02BBED033F2A9C69DCC57248CF532C296894C4455BC821FD52241C4CEC65A0B9194CEE8597399200F3510F507F6213B57369151D58C4F644F1348DBCB15AF82122505A2CFE52B08A7E3A7FBF7D9803C443460F7910B5360678C631C712259E028489735DDA7B20A9780EAC73A4A08A3E8179A9082F95A6D8D0EA3467C1F76BE5596A236B43F35074B91EDF49378B0565F4882814C6A6719D38E13968CBEC06503D863E0BF820A333DF9307FCE517F3944DF3680FD402D4D90FC960349A044FDFBF008A3F8331',1,1700000002.0);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-7b6699ea',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-7b6699ea',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-7b6699ea',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-7b6699ea','node-1781c4bb','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-7b6699ea','node-1781c4bb','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-7b6699ea','node-c99746aa','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-7b6699ea','node-c99746aa','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-7b6699ea',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-7b6699ea',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-7b6699ea',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-7b6699ea','node-1781c4bb','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-7b6699ea','node-1781c4bb','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-7b6699ea','node-c99746aa','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-7b6699ea','node-c99746aa','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-7b6699ea',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-7b6699ea',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-e195e04f',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-e195e04f',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-e195e04f',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-e195e04f','node-55791058','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-e195e04f','node-55791058','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-e195e04f','node-691f510e','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-e195e04f','node-691f510e','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-e195e04f',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-e195e04f',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-e195e04f',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-7b6699ea',1,'["node-1781c4bb", "node-c99746aa"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-e195e04f',1,'["node-55791058", "node-691f510e"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'073361636006344ad04bdb31aeb96705','launch','node-1781c4bb','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'e2832e199b416af3748d3b9b98dbbf1f','launch','node-c99746aa','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'073361636006344ad04bdb31aeb96705','terminate','node-1781c4bb','073361636006344ad04bdb31aeb96705','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'e2832e199b416af3748d3b9b98dbbf1f','terminate','node-c99746aa','e2832e199b416af3748d3b9b98dbbf1f','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'d106d318c02e3fe1df3e72fcb75e927c','launch','node-55791058','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'00225d030e4da35c3c5740de1152dfed','launch','node-691f510e','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE "jobs" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	claimed_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	redone BIGINT DEFAULT '0' NOT NULL, 
	kept_iteration BIGINT, 
	restarts_at_zero BOOLEAN DEFAULT 0 NOT NULL, 
	stops_when_asked BOOLEAN, 
	batch VARCHAR(8), 
	saves TEXT, error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-7b6699ea','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-e195e04f','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-7b6699ea','node-1781c4bb','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-7b6699ea','node-1781c4bb','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-7b6699ea','node-c99746aa','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-7b6699ea','node-c99746aa','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-e195e04f','node-55791058','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-e195e04f','node-55791058','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-e195e04f','node-691f510e','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-e195e04f','node-691f510e','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE "nodes" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	failures INTEGER NOT NULL, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, 
	processes INTEGER DEFAULT '1' NOT NULL, 
	threads INTEGER DEFAULT '1' NOT NULL, 
	image VARCHAR(64), 
	setup_s FLOAT, 
	setup_bytes BIGINT, 
	prepared_at_s FLOAT, 
	report TEXT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-1781c4bb','job-7b6699ea','local.half','on-demand','local','terminated','073361636006344ad04bdb31aeb96705',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-c99746aa','job-7b6699ea','local.half','on-demand','local','terminated','e2832e199b416af3748d3b9b98dbbf1f',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-55791058','job-e195e04f','local.half','on-demand','local','joined','d106d318c02e3fe1df3e72fcb75e927c',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-691f510e','job-e195e04f','local.half','on-demand','local','joined','00225d030e4da35c3c5740de1152dfed',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE pools (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	history TEXT NOT NULL, 
	CONSTRAINT pk_pools PRIMARY KEY (node_type, capacity, zone)
);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, iterations BIGINT DEFAULT '0' NOT NULL, elapsed_s FLOAT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-7b6699ea','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-e195e04f','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-7b6699ea','node-1781c4bb',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-7b6699ea','node-1781c4bb',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-7b6699ea','node-1781c4bb',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-7b6699ea','node-1781c4bb',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-7b6699ea','node-1781c4bb',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-7b6699ea','node-1781c4bb',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-7b6699ea','node-1781c4bb',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-7b6699ea','node-1781c4bb',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-7b6699ea','node-1781c4bb',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-7b6699ea','node-1781c4bb',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-7b6699ea','node-1781c4bb',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-7b6699ea','node-1781c4bb',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-7b6699ea','node-1781c4bb',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-7b6699ea','node-1781c4bb',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-7b6699ea','node-1781c4bb',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-7b6699ea','node-1781c4bb',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-7b6699ea','node-1781c4bb',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-7b6699ea','node-1781c4bb',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-7b6699ea','node-1781c4bb',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-7b6699ea','node-1781c4bb',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-7b6699ea','node-1781c4bb',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-7b6699ea','node-1781c4bb',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-7b6699ea','node-1781c4bb',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-7b6699ea','node-1781c4bb',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-7b6699ea','node-1781c4bb',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-7b6699ea','node-1781c4bb',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-7b6699ea','node-1781c4bb',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-7b6699ea','node-1781c4bb',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-7b6699ea','node-1781c4bb',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-7b6699ea','node-1781c4bb',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-7b6699ea','node-1781c4bb',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-7b6699ea','node-1781c4bb',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-7b6699ea','node-1781c4bb',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-7b6699ea','node-1781c4bb',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-7b6699ea','node-1781c4bb',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-7b6699ea','node-1781c4bb',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-7b6699ea','node-1781c4bb',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-7b6699ea','node-1781c4bb',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-7b6699ea','node-1781c4bb',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-7b6699ea','node-1781c4bb',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-7b6699ea','node-1781c4bb',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-7b6699ea','node-1781c4bb',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-7b6699ea','node-1781c4bb',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-7b6699ea','node-1781c4bb',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-7b6699ea','node-1781c4bb',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-7b6699ea','node-1781c4bb',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-7b6699ea','node-1781c4bb',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-7b6699ea','node-1781c4bb',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-7b6699ea','node-1781c4bb',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-7b6699ea','node-1781c4bb',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-7b6699ea','node-1781c4bb',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-7b6699ea','node-1781c4bb',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-7b6699ea','node-1781c4bb',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-7b6699ea','node-1781c4bb',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-7b6699ea','node-1781c4bb',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-7b6699ea','node-1781c4bb',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-7b6699ea','node-1781c4bb',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-7b6699ea','node-1781c4bb',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-7b6699ea','node-1781c4bb',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-7b6699ea','node-1781c4bb',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-7b6699ea','node-1781c4bb',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-7b6699ea','node-1781c4bb',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-7b6699ea','node-1781c4bb',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-7b6699ea','node-1781c4bb',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-7b6699ea','node-1781c4bb',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-7b6699ea','node-1781c4bb',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-7b6699ea','node-1781c4bb',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-7b6699ea','node-1781c4bb',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-7b6699ea','node-1781c4bb',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-7b6699ea','node-1781c4bb',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-7b6699ea','node-1781c4bb',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-7b6699ea','node-1781c4bb',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-7b6699ea','node-1781c4bb',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-7b6699ea','node-1781c4bb',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-7b6699ea','node-1781c4bb',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-7b6699ea','node-1781c4bb',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-7b6699ea','node-1781c4bb',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-7b6699ea','node-1781c4bb',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-7b6699ea','node-1781c4bb',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-7b6699ea','node-1781c4bb',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-7b6699ea','node-1781c4bb',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-7b6699ea','node-1781c4bb',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-7b6699ea','node-1781c4bb',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-7b6699ea','node-1781c4bb',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-7b6699ea','node-1781c4bb',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-7b6699ea','node-1781c4bb',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-7b6699ea','node-1781c4bb',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-7b6699ea','node-1781c4bb',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-7b6699ea','node-1781c4bb',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-7b6699ea','node-1781c4bb',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-7b6699ea','node-1781c4bb',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-7b6699ea','node-1781c4bb',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-7b6699ea','node-1781c4bb',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-7b6699ea','node-1781c4bb',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-7b6699ea','node-1781c4bb',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-7b6699ea','node-1781c4bb',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-7b6699ea','node-1781c4bb',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-7b6699ea','node-1781c4bb',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-7b6699ea','node-1781c4bb',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-7b6699ea','node-1781c4bb',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-e195e04f','node-55791058',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-e195e04f','node-55791058',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-e195e04f','node-55791058',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-e195e04f','node-55791058',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-e195e04f','node-55791058',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-e195e04f','node-55791058',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-e195e04f','node-55791058',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-e195e04f','node-55791058',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-e195e04f','node-55791058',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-e195e04f','node-55791058',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-e195e04f','node-55791058',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-e195e04f','node-55791058',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-e195e04f','node-55791058',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-e195e04f','node-55791058',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-e195e04f','node-55791058',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-e195e04f','node-55791058',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-e195e04f','node-55791058',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-e195e04f','node-55791058',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-e195e04f','node-55791058',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-e195e04f','node-55791058',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-e195e04f','node-55791058',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-e195e04f','node-55791058',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-e195e04f','node-55791058',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-e195e04f','node-55791058',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-e195e04f','node-55791058',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-e195e04f','node-55791058',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-e195e04f','node-55791058',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-e195e04f','node-55791058',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-e195e04f','node-55791058',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-e195e04f','node-55791058',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-e195e04f','node-55791058',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-e195e04f','node-55791058',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-e195e04f','node-55791058',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-e195e04f','node-55791058',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-e195e04f','node-55791058',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-e195e04f','node-55791058',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-e195e04f','node-55791058',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-e195e04f','node-55791058',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-e195e04f','node-55791058',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-e195e04f','node-55791058',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-e195e04f','node-55791058',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-e195e04f','node-55791058',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-e195e04f','node-55791058',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-e195e04f','node-55791058',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-e195e04f','node-55791058',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-e195e04f','node-55791058',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-e195e04f','node-55791058',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-e195e04f','node-55791058',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-e195e04f','node-55791058',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-e195e04f','node-55791058',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-e195e04f','node-55791058',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-e195e04f','node-55791058',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-e195e04f','node-55791058',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-e195e04f','node-55791058',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-e195e04f','node-55791058',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-e195e04f','node-55791058',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-e195e04f','node-55791058',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-e195e04f','node-55791058',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-e195e04f','node-55791058',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-e195e04f','node-55791058',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-e195e04f','node-55791058',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-e195e04f','node-55791058',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-e195e04f','node-55791058',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-e195e04f','node-55791058',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-e195e04f','node-55791058',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-e195e04f','node-55791058',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-e195e04f','node-55791058',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-e195e04f','node-55791058',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-e195e04f','node-55791058',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-e195e04f','node-55791058',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-e195e04f','node-55791058',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-e195e04f','node-55791058',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-e195e04f','node-55791058',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-e195e04f','node-55791058',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-e195e04f','node-55791058',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-e195e04f','node-55791058',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-e195e04f','node-55791058',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-e195e04f','node-55791058',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-e195e04f','node-55791058',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-e195e04f','node-55791058',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-e195e04f','node-55791058',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-e195e04f','node-55791058',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-e195e04f','node-55791058',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-e195e04f','node-55791058',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-e195e04f','node-55791058',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-e195e04f','node-55791058',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-e195e04f','node-55791058',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-e195e04f','node-55791058',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-e195e04f','node-55791058',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-e195e04f','node-55791058',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-e195e04f','node-55791058',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-e195e04f','node-55791058',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-e195e04f','node-55791058',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-e195e04f','node-55791058',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-e195e04f','node-55791058',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-e195e04f','node-55791058',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-e195e04f','node-55791058',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-e195e04f','node-55791058',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-e195e04f','node-55791058',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-e195e04f','node-55791058',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
COMMIT;
