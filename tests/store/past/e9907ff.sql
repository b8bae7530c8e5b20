-- migration 0017, by the code of commit e9907ff; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alarms (
	id INTEGER NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	text TEXT NOT NULL, 
	since_s FLOAT NOT NULL, 
	over_at_s FLOAT, 
	CONSTRAINT pk_alarms PRIMARY KEY (id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0017');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, width_s INTEGER DEFAULT '5' NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-faefa72f',1700000085,'main',36.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-8d48e608',1700000085,'main',36.0,5);
CREATE TABLE certificates (
	job_id VARCHAR(32) NOT NULL, 
	pem TEXT NOT NULL, 
	made_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_certificates PRIMARY KEY (job_id), 
	CONSTRAINT fk_certificates_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
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
INSERT INTO "decisions" VALUES(1,'job-faefa72f',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173DA74126994EDBF995A2106499B6D5C892AB4B3299C1FCFB1ECA969374B1285060BBEB278BA278393A24F5269C3FCB289E1F3EEDE66FBFDD6DC477DF88E737615AF1CCFF1F3A459DFAB4EFC446C48934EF39351276C9B5D442ACFD382A07FDAF220565DC76BA886F2C6EA1E5B2B51BA89E70F07D23CE3E1CAD576DDD182E13854905584C14E2ACE47032CAD138C4B6AED4CBCDEAAC5CA2D5889B82D71286A42B3E85CAC923B0DEFA4659D9A8A487AA6BE04625E31D27CE496F846FBE934EE6449C1BFC98D1BCB295AB6AB1DD7A6B5580D996546B8D23C66E36DAE4B6A724735C4382195E968383CFA1CA4FCA6692BE93C98C74D5A8DBDE21ED08BBA25331514C628143260005F95706564D4A9B74E144DD05014DDE1ACDCB062764710169675EA895EBE1EA621A542C96D67B1C7167D0CF2E192BD7A467FD77F86BF952651F942E291F764C9371463AC0A30A898308345F6C0A99781FA144354E96965B85823671B53C63B49C5F91F4394DF9BABCBBBA403FB20934924B0B1291529EE6DF5625551523E940B3CEFB9230879A9D33AE671EE766340904922ADD1540C9EC041E9628F7376C11CF8F4C95C26F1891D5E8825D07691C568395F42DFBABD9528CAAA76B32AD7758C1E891A6F433EE9B8A6C6493AF14BC78EE948D4036263FA102067252C5E3B50AEEB0A210FC423A400043E067DDD3390460B8560F57D40CE21DD3567E58AF95DDFEC8888698FF7ACA887BBBFFC8498D3E5C646FD0334AF7E8A72CB5CF6C7D593151EC957C9768600D3A8156A05666B05BD14D873DF70F33DEC0A5DA93893EC826EB63CDE47DF3538883B2DD35BEFF5D781D8435BC875243FF6978DFF8A8D1CB5D73BF477BF55D47A1B0F64DDCB48EBF73E0DA83BCFBD05219001BF15A383D6B73EBBA6970A82D660CBA93696517FC582AEFE90BBEA7C7B9F27C13299CFEA12C23BAA866E3A52D82E12F28C628EF3D30E69CC9FE579954AAFC4E1A8F7F2C8DC3AFD2A894FA9D34BEFCEB59940E1D4CED2EF16CD0A1D6293628D7AF5B131AD23C3F717007225A4C616EE13C9143CF4F81DDF6811F15DEB6FEEC38A4A73996140C4AE26C1CE4907EAE120E260E2AD0D20C66F77252399204F3510F50FFC8261AEFD355746011DB93D5D33CF24AB5F04344A2B458FCB96215A7F9FCFDF66109100F1933E65136C65AE0194B8E354A3C050813E7B2B6F7404AF31CB8CE918A2AFA04E6A526BC54DA6AC3E8E39205DFAF532765AC6A2C2D43D1E7A6BC936E162BCAE811516A8C4DEB7B79C45BD0D5D90DA0060C7D16F0414667B9A709F0D75FCC5336CDA33D500750173FA4823568123C7DFF0240AB8264',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-8d48e608',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173DA7412699CEA6F995A2106499B6D5C892AB4B3299C1FCFB1EDA969D74B12850602F7EB2288A97A34352EFC2F9AB8CE2F4F4C76EFAF6DBDD467CF79538BD0B538B13FF7F3AD6CF477AD91DC546C48134EF39D513765350C619D76247FBBE570E47BE4ED2ED7013DF585C43D1656B3782DC05673F36E2EAC3D97A55978DEE3650185480D144214E4A0E27A3EC8D4378CB4ABDDEADAECA255A8CB821782D6148BAD1A750397904D65A5F292B2B957457740DDCA864BCE3DC39EF8DF0D577D2C95C88D3831FD39B37B6B2AA8EB66B6FAD0A305B93AAAD71C4F04D46AB5CB794648E4B4830C3CBF160E77328F28BB299A46F64323DAD1A65DB3BA41D6157342A268A49CC70C804A020FFCAC0AA4169936E9CA8BB21A0C15BA37959E1841C5D40DA9857AAE572B8B8183A15474BCB55F6B833E867978C954BD293FE07FCD57CA9B20D4A8F291F76CC947E423AC0A30A898308345D6C0A99781FA144D50F96E65B85823671B13C61349F5F90F4390D795D3E5C5DA01FD904EAC9A5198948290FD36FAD922A8A9174A049E7634E9843CD6E266CCC556F120824557AA88131B30B783846B9BF638B383D33550AEB65313A63D7401ABBC560217DCDFE4AB614A36A694DA6F60E2B183DD3907EC67D53908D6CF28D8217A746D9086463F2032AA02327553CAF55F0801585E067D2010218023FCB9ECE2100C3A57AB8A226101F98B6F0C37AADECF6474634C4FCD74346DCDBFD674EAAF7E1265B83B631369076C852FBCCD6E71513C5AEE4BB45036BD009B400B53083DD8A6638ECB97F98FE0E2E555F4CF44156599F4B261F9B9F42EC946DD6F8FE77E1351096F09EC61AFA4FC3FBC6478D9EEF9A5B3EDAAB6F1A0A236BDFC55DEBF82B07D61EE4DDA79AC601B0116F23A7276D6E5D770D0EB5C58C417732B56C82EFC7CA7BF982EFE579AA3C5F450A97BF29CB882EAAC7C9C36D110C7F453146F9E88131E74CF6BFCAA450E577D278FED7D238FC2A8D42A9DF49E3CB3F9EC5D8A18329DD255E0D3AD432C53AE5DA656B40439AE6270EEE40448B29CC2D9C277268F929B0DB3EF1A3C2DBDA5F1D87F432C5928241495C8D831CD263917030B15381E66630B99783CA9124988F7A80FA673651799F56D181456C4F164FD3C81BAB851F2212A5C5E263C12A0ED3F9C7EDC31C201E32A6CFBDAC8CB5C0338E399628F114204C9CDBD2DE0329CD73609D230555F409CC4B4D78A9D4C586D1E7390BBE5FA72ECA5855599A87A2CFD5F84EBA5B2C28A34744A93136AD6FE519CF4157663780EA30F459C007199DF99E06C05F7E314FD9348FF6400D409DFD900AD6A049F0F4FD13F12B8309',1,1700000002.0);
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
INSERT INTO "events" VALUES(2,1700000000.0,'job-faefa72f',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-faefa72f',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-faefa72f',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-faefa72f','node-87f66488','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-faefa72f','node-87f66488','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-faefa72f','node-34e141f7','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-faefa72f','node-34e141f7','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-faefa72f',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-faefa72f',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-faefa72f',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-faefa72f','node-87f66488','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-faefa72f','node-87f66488','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-faefa72f','node-34e141f7','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-faefa72f','node-34e141f7','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-faefa72f',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-faefa72f',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-8d48e608',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-8d48e608',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-8d48e608',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-8d48e608','node-5d7584d5','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-8d48e608','node-5d7584d5','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-8d48e608','node-8fe885e8','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-8d48e608','node-8fe885e8','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-8d48e608',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-8d48e608',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-8d48e608',NULL,'note','a note of training','{}');
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
INSERT INTO "generations" VALUES('job-faefa72f',1,'["node-87f66488", "node-34e141f7"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-8d48e608',1,'["node-5d7584d5", "node-8fe885e8"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
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
INSERT INTO "intents" VALUES(1,'7fd95f258d45081bd18793edd16e3a2c','launch','node-87f66488','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'d283040457139963b3e0a537a09ec268','launch','node-34e141f7','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'7fd95f258d45081bd18793edd16e3a2c','terminate','node-87f66488','7fd95f258d45081bd18793edd16e3a2c','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'d283040457139963b3e0a537a09ec268','terminate','node-34e141f7','d283040457139963b3e0a537a09ec268','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'22e3f99764c37c8d53eaea4f0eb53764','launch','node-5d7584d5','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'0d96e8b54907ed04caa9edb669eaa6c9','launch','node-8fe885e8','h','',1700000001.0,1700000005.0,'launched');
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
	registered_round BIGINT NOT NULL, 
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
	saves TEXT, 
	error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-faefa72f','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-8d48e608','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
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
INSERT INTO "ledger" VALUES(1,'job-faefa72f','node-87f66488','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-faefa72f','node-87f66488','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-faefa72f','node-34e141f7','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-faefa72f','node-34e141f7','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-8d48e608','node-5d7584d5','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-8d48e608','node-5d7584d5','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-8d48e608','node-8fe885e8','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-8d48e608','node-8fe885e8','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE losses (
	event_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	from_s FLOAT, 
	to_s FLOAT, 
	CONSTRAINT pk_losses PRIMARY KEY (event_id), 
	CONSTRAINT fk_losses_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_losses_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
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
INSERT INTO "nodes" VALUES(1,'node-87f66488','job-faefa72f','local.half','on-demand','local','terminated','7fd95f258d45081bd18793edd16e3a2c',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-34e141f7','job-faefa72f','local.half','on-demand','local','terminated','d283040457139963b3e0a537a09ec268',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-5d7584d5','job-8d48e608','local.half','on-demand','local','joined','22e3f99764c37c8d53eaea4f0eb53764',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-8fe885e8','job-8d48e608','local.half','on-demand','local','joined','0d96e8b54907ed04caa9edb669eaa6c9',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
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
CREATE TABLE rollups (
	job_id VARCHAR(32) NOT NULL, 
	windows_to_s FLOAT NOT NULL, 
	CONSTRAINT pk_rollups PRIMARY KEY (job_id), 
	CONSTRAINT fk_rollups_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE secrets (
	name VARCHAR(32) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	value TEXT, 
	CONSTRAINT pk_secrets PRIMARY KEY (name, sha256)
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
INSERT INTO "series" VALUES(1,'job-faefa72f','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-8d48e608','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
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
INSERT INTO "windows" VALUES(1,1,'job-faefa72f','node-87f66488',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-faefa72f','node-87f66488',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-faefa72f','node-87f66488',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-faefa72f','node-87f66488',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-faefa72f','node-87f66488',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-faefa72f','node-87f66488',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-faefa72f','node-87f66488',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-faefa72f','node-87f66488',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-faefa72f','node-87f66488',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-faefa72f','node-87f66488',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-faefa72f','node-87f66488',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-faefa72f','node-87f66488',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-faefa72f','node-87f66488',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-faefa72f','node-87f66488',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-faefa72f','node-87f66488',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-faefa72f','node-87f66488',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-faefa72f','node-87f66488',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-faefa72f','node-87f66488',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-faefa72f','node-87f66488',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-faefa72f','node-87f66488',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-faefa72f','node-87f66488',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-faefa72f','node-87f66488',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-faefa72f','node-87f66488',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-faefa72f','node-87f66488',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-faefa72f','node-87f66488',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-faefa72f','node-87f66488',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-faefa72f','node-87f66488',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-faefa72f','node-87f66488',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-faefa72f','node-87f66488',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-faefa72f','node-87f66488',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-faefa72f','node-87f66488',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-faefa72f','node-87f66488',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-faefa72f','node-87f66488',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-faefa72f','node-87f66488',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-faefa72f','node-87f66488',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-faefa72f','node-87f66488',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-faefa72f','node-87f66488',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-faefa72f','node-87f66488',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-faefa72f','node-87f66488',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-faefa72f','node-87f66488',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-faefa72f','node-87f66488',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-faefa72f','node-87f66488',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-faefa72f','node-87f66488',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-faefa72f','node-87f66488',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-faefa72f','node-87f66488',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-faefa72f','node-87f66488',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-faefa72f','node-87f66488',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-faefa72f','node-87f66488',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-faefa72f','node-87f66488',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-faefa72f','node-87f66488',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-faefa72f','node-87f66488',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-faefa72f','node-87f66488',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-faefa72f','node-87f66488',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-faefa72f','node-87f66488',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-faefa72f','node-87f66488',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-faefa72f','node-87f66488',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-faefa72f','node-87f66488',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-faefa72f','node-87f66488',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-faefa72f','node-87f66488',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-faefa72f','node-87f66488',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-faefa72f','node-87f66488',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-faefa72f','node-87f66488',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-faefa72f','node-87f66488',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-faefa72f','node-87f66488',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-faefa72f','node-87f66488',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-faefa72f','node-87f66488',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-faefa72f','node-87f66488',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-faefa72f','node-87f66488',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-faefa72f','node-87f66488',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-faefa72f','node-87f66488',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-faefa72f','node-87f66488',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-faefa72f','node-87f66488',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-faefa72f','node-87f66488',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-faefa72f','node-87f66488',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-faefa72f','node-87f66488',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-faefa72f','node-87f66488',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-faefa72f','node-87f66488',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-faefa72f','node-87f66488',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-faefa72f','node-87f66488',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-faefa72f','node-87f66488',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-faefa72f','node-87f66488',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-faefa72f','node-87f66488',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-faefa72f','node-87f66488',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-faefa72f','node-87f66488',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-faefa72f','node-87f66488',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-faefa72f','node-87f66488',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-faefa72f','node-87f66488',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-faefa72f','node-87f66488',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-faefa72f','node-87f66488',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-faefa72f','node-87f66488',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-faefa72f','node-87f66488',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-faefa72f','node-87f66488',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-faefa72f','node-87f66488',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-faefa72f','node-87f66488',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-faefa72f','node-87f66488',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-faefa72f','node-87f66488',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-faefa72f','node-87f66488',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-faefa72f','node-87f66488',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-faefa72f','node-87f66488',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-faefa72f','node-87f66488',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-8d48e608','node-5d7584d5',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-8d48e608','node-5d7584d5',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-8d48e608','node-5d7584d5',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-8d48e608','node-5d7584d5',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-8d48e608','node-5d7584d5',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-8d48e608','node-5d7584d5',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-8d48e608','node-5d7584d5',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-8d48e608','node-5d7584d5',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-8d48e608','node-5d7584d5',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-8d48e608','node-5d7584d5',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-8d48e608','node-5d7584d5',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-8d48e608','node-5d7584d5',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-8d48e608','node-5d7584d5',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-8d48e608','node-5d7584d5',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-8d48e608','node-5d7584d5',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-8d48e608','node-5d7584d5',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-8d48e608','node-5d7584d5',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-8d48e608','node-5d7584d5',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-8d48e608','node-5d7584d5',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-8d48e608','node-5d7584d5',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-8d48e608','node-5d7584d5',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-8d48e608','node-5d7584d5',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-8d48e608','node-5d7584d5',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-8d48e608','node-5d7584d5',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-8d48e608','node-5d7584d5',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-8d48e608','node-5d7584d5',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-8d48e608','node-5d7584d5',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-8d48e608','node-5d7584d5',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-8d48e608','node-5d7584d5',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-8d48e608','node-5d7584d5',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-8d48e608','node-5d7584d5',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-8d48e608','node-5d7584d5',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-8d48e608','node-5d7584d5',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-8d48e608','node-5d7584d5',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-8d48e608','node-5d7584d5',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-8d48e608','node-5d7584d5',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-8d48e608','node-5d7584d5',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-8d48e608','node-5d7584d5',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-8d48e608','node-5d7584d5',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-8d48e608','node-5d7584d5',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-8d48e608','node-5d7584d5',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-8d48e608','node-5d7584d5',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-8d48e608','node-5d7584d5',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-8d48e608','node-5d7584d5',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-8d48e608','node-5d7584d5',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-8d48e608','node-5d7584d5',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-8d48e608','node-5d7584d5',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-8d48e608','node-5d7584d5',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-8d48e608','node-5d7584d5',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-8d48e608','node-5d7584d5',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-8d48e608','node-5d7584d5',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-8d48e608','node-5d7584d5',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-8d48e608','node-5d7584d5',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-8d48e608','node-5d7584d5',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-8d48e608','node-5d7584d5',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-8d48e608','node-5d7584d5',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-8d48e608','node-5d7584d5',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-8d48e608','node-5d7584d5',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-8d48e608','node-5d7584d5',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-8d48e608','node-5d7584d5',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-8d48e608','node-5d7584d5',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-8d48e608','node-5d7584d5',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-8d48e608','node-5d7584d5',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-8d48e608','node-5d7584d5',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-8d48e608','node-5d7584d5',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-8d48e608','node-5d7584d5',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-8d48e608','node-5d7584d5',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-8d48e608','node-5d7584d5',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-8d48e608','node-5d7584d5',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-8d48e608','node-5d7584d5',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-8d48e608','node-5d7584d5',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-8d48e608','node-5d7584d5',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-8d48e608','node-5d7584d5',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-8d48e608','node-5d7584d5',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-8d48e608','node-5d7584d5',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-8d48e608','node-5d7584d5',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-8d48e608','node-5d7584d5',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-8d48e608','node-5d7584d5',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-8d48e608','node-5d7584d5',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-8d48e608','node-5d7584d5',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-8d48e608','node-5d7584d5',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-8d48e608','node-5d7584d5',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-8d48e608','node-5d7584d5',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-8d48e608','node-5d7584d5',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-8d48e608','node-5d7584d5',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-8d48e608','node-5d7584d5',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-8d48e608','node-5d7584d5',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-8d48e608','node-5d7584d5',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-8d48e608','node-5d7584d5',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-8d48e608','node-5d7584d5',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-8d48e608','node-5d7584d5',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-8d48e608','node-5d7584d5',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-8d48e608','node-5d7584d5',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-8d48e608','node-5d7584d5',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-8d48e608','node-5d7584d5',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-8d48e608','node-5d7584d5',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-8d48e608','node-5d7584d5',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-8d48e608','node-5d7584d5',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-8d48e608','node-5d7584d5',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-8d48e608','node-5d7584d5',100,1,2,400,4,0.5,0,1700000089.5);
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
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_losses_job_id ON losses (job_id);
CREATE INDEX ix_alarms_over_at_s ON alarms (over_at_s);
COMMIT;
