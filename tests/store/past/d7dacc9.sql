-- migration 0018, by the code of commit d7dacc9; made by make.py
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
INSERT INTO "alembic_version" VALUES('0018');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, width_s INTEGER DEFAULT '5' NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-a6722d16',1700000085,'main',36.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-ab31b3e3',1700000085,'main',36.0,5);
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
INSERT INTO "decisions" VALUES(1,'job-a6722d16',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173FA7412699A66D7EA5280459A66D35B2A4EA924C6630FFBE87B665275D2C0A14D8EEFAC9A2285E8E0E49BD55D65D45AC4E4F9F76D3B7DFEE36D5775757A7B74A37D589FF3FC8E3A7FDBE793A569B2A7A52BC67E540D825DB5003B172C3202DF4BF5629486DB7FE567D6371032D9B8DD940F58283EF9BEAEAC2D938D9948DFEE6297819603151889392C5C928066D11DBB2922F77ABABB4891623D607A7040C093BFAAC644E0E8175C6D5D2885A26D5175D0D3732696739714E7A53B9FA3BA9A42FC4B9C18F1EF42B5B595547DB8D334606986D4836465B62EC26A3756E3A4A22C7252498E1E578B0773914F9459A4CC2B522E981568DB2ED2CD28EB05BB532268AA99AE110094041FE9581955E2A9D6E9CA8BD2120EF8C56BCAC71428C2E206DF50B3562395C5CF85EC6D1D2728F03EE0CFAD9266DC492F4A4FF0E7F0D5FAAE8825463CA871DD36498900EF02843E220024D179B4226DE4728510EDED07CAB50503A2E96278CE6F30B922E279FD7E5C3D505FA9175A0816C9A918894B29F7E1B9964518CA4024D3AEF73C21C6AB656DB8E799CEB41271048C8F45000636617F0708C727FC796EAF4CC5419F90D23A2189DB16B218DFD62B090BE617F255B8A5176B426D3388B158C9EC9A79F71DF1464239B7CA5E0AA532B4D04B231398F0AE8C90A19CF6B153C604521B89974800086C0CFB2A77208C070A91EAEA809C407A62DFC304E49B3FD91110D31FF95CF887BBBFFC8490D2EDC44A7D133C6EED1F92C94CB6C7D5E3151CC4ABE5BD4B0069D400B500B33D86DD5FAC39EFB871EEEE092CD454717449DD5B964F2BEF929C45E9A768DEF7F175E0B6109EF69ACA1FF34BC6F7C54ABF9AEB9DFA3BDBAB6A530B2F6ADBA6B1D7FE7C0DA839CFDD0D0380036D5EBC8E9499B5BD75D83436D3163D09D7423DAE086B1F28E5FF01D9FA7CA7375A470F987B28CE8A28A8D8F6D110C7F413146F1E88131E74CF6BFCAA450E577D278FE63691C7E9546A1D4EFA4F1E55FCF62ECD04197EE12AF1A1D6A9962BDB4DDB2E5D190A6F989833B10D1600A730BE7891C3A7E0AECB64FFCA870A67157CB211DA75852D02889ABB69043FAB9483898D8CB40733398DC0B2F732401E6A31EA0FE914DD4CEA555746011DB13C5D334F2C66AE187884069B1F873C12AFAE9FCE3F6610E100F193DE441D4DA18E019C71C4B94780A1026CE6D69EF81A4E239B0CE91822AFA04E6A522BC549A6243ABF39C05DFAF9517A98DAC0DCD43D1E57A7C27DD2D1694D123A250189BC675E28CB7A02DB31B40F518FA2CE0838CCE7C4F1EF0975FCC5336CDA33D500B50673F2483D168123C7DFF026196819F',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-ab31b3e3',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173DA74126994EDBF995A2106499B6D5C892AA4B3299C1FCFB1EDA9693B4581428B0173F5914C5CBD121A937E1FC5926F1FCF069377FFBED6E23BEFB463CBF09D38A67FEFFA09AC34373A083D8881448F39E5323613747659C713D76B41F47E570E4EB2CDD868BF8C6E2168AAE58BB11E44E38FBBE11671F8FD6ABB66E0C974031A808A399629A951C4E26391A87F0D6957AB9599D95CBB41A71217A2D6148BAC9A750257B04D65BDF282B1B95F550750DDCA86CBCE3DC39EF8DF0CD77D2D99C88D3831F339A57B672559D6CB7DE5A1561B625D55AE388E19B8D36A5ED29CB92D690608697D3C1C19758E527650B49DFC96C46BA6AD46DEF9076825DD1A9942965B1C021338082FC2B03AB82D2265F3851774140C15BA379D9E0849C5C40DA99176AE57AB8BA08834A93A5F52A47DC19F48BCBC6CA35E959FF1DFE5ABE54D947A5A7940F3B66CA38231DE151C5CC41449A2F36C742BC8F50921A83A5E556A1A04D5A2DCF182DE757247DC9A15C97775717E94731914672794122512E61FE6D55565531918E34EBBC2F0973A8C52D844DA5194D0681A4CA7735306576020FA728F7376C11CF8F4C95CA7A598D2ED87590A661355849DFB2BF9A2DA5A47ABA26D37A87158C1E29E49F71DF5464139B7CA5E8C573A76C02B229FB800A18C849958ED72AB8C38A62F40BE900010C819F754F971881E15A3D5C513388774C5BF961BD5676FBA3201A62FEEB5010F776FF91931A7DBCC8DEA06D4C0DA40F456A5FD8FAB262A2D82BF92EC9C01A7422AD40ADCC60B7A20B873DF70F33DEC0A5DA93493ECAA6E863CDE47DF3538883B2DD35BEFF5D781D8435BC87A986FED3F0BEF151A397BBE6968FF6EABB8EE2C4DA3771D33A7EE5C0B50779F7A1A569006CC4EBC4E9599B5BD74D83436D3163D09D4C2BBBE8C7A9F29EBEE07B7A9C2BCF3789E2E96FCA32A18BEA69F2705B04C35F508C49DE7B60CC3993FDEF32A954F993341EFFB5340EBF4BA352EA4FD2F8F28F673175E8686A774967830EB54EB141B97EDD0A6848F3FCC4C11D88683185B985F3448E3D3F0576DB077E5478DBFAB3E3909EE65872342889B3719043FAB94A389834A8484B3398DDCBA04A2209E6A31EA0FE914D34DEE7ABE8C022B627ABA779E44DD5C20F1189D262F1E78A550AF3F9FBEDC312201E32662CA36C8CB5C0334D39D628F114204C9CCBDADE2329CD73E03A472AAAE81398979AF05269AB0DA38F4B167CBF4E9D94B1AAB1B40C455F9AE99D74B35851468F4852636C5ADFCB239E83AECE6E003560E8B3800F323ACB3D05C05F7F314FD9348FF6481D405DFC908AD6A049F0F4FD0BDCB18352',1,1700000002.0);
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
INSERT INTO "events" VALUES(2,1700000000.0,'job-a6722d16',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-a6722d16',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-a6722d16',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-a6722d16','node-26418c0d','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-a6722d16','node-26418c0d','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-a6722d16','node-bfc3b754','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-a6722d16','node-bfc3b754','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-a6722d16',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-a6722d16',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-a6722d16',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-a6722d16','node-26418c0d','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-a6722d16','node-26418c0d','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-a6722d16','node-bfc3b754','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-a6722d16','node-bfc3b754','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-a6722d16',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-a6722d16',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-ab31b3e3',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-ab31b3e3',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-ab31b3e3',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-ab31b3e3','node-9394d4a4','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-ab31b3e3','node-9394d4a4','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-ab31b3e3','node-546e6cf3','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-ab31b3e3','node-546e6cf3','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-ab31b3e3',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-ab31b3e3',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-ab31b3e3',NULL,'note','a note of training','{}');
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
INSERT INTO "generations" VALUES('job-a6722d16',1,'["node-26418c0d", "node-bfc3b754"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-ab31b3e3',1,'["node-9394d4a4", "node-546e6cf3"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
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
INSERT INTO "intents" VALUES(1,'9f77cc81077213b73ebe872c9458aeb1','launch','node-26418c0d','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'527ad9d5f45360ee6b626697b8f81536','launch','node-bfc3b754','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'9f77cc81077213b73ebe872c9458aeb1','terminate','node-26418c0d','9f77cc81077213b73ebe872c9458aeb1','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'527ad9d5f45360ee6b626697b8f81536','terminate','node-bfc3b754','527ad9d5f45360ee6b626697b8f81536','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'8caadde6a058934cddf279424b11f4bb','launch','node-9394d4a4','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'6dfd961c53d7560920e3e44f777039e8','launch','node-546e6cf3','h','',1700000001.0,1700000005.0,'launched');
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
	error TEXT, unknown_least_usd FLOAT, unknown_most_usd FLOAT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-a6722d16','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-ab31b3e3','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "ledger" VALUES(1,'job-a6722d16','node-26418c0d','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-a6722d16','node-26418c0d','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-a6722d16','node-bfc3b754','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-a6722d16','node-bfc3b754','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-ab31b3e3','node-9394d4a4','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-ab31b3e3','node-9394d4a4','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-ab31b3e3','node-546e6cf3','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-ab31b3e3','node-546e6cf3','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
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
	CONSTRAINT uq_nodes_id UNIQUE (id), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "nodes" VALUES(1,'node-26418c0d','job-a6722d16','local.half','on-demand','local','terminated','9f77cc81077213b73ebe872c9458aeb1',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-bfc3b754','job-a6722d16','local.half','on-demand','local','terminated','527ad9d5f45360ee6b626697b8f81536',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-9394d4a4','job-ab31b3e3','local.half','on-demand','local','joined','8caadde6a058934cddf279424b11f4bb',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-546e6cf3','job-ab31b3e3','local.half','on-demand','local','joined','6dfd961c53d7560920e3e44f777039e8',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "series" VALUES(1,'job-a6722d16','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-ab31b3e3','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
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
INSERT INTO "windows" VALUES(1,1,'job-a6722d16','node-26418c0d',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-a6722d16','node-26418c0d',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-a6722d16','node-26418c0d',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-a6722d16','node-26418c0d',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-a6722d16','node-26418c0d',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-a6722d16','node-26418c0d',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-a6722d16','node-26418c0d',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-a6722d16','node-26418c0d',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-a6722d16','node-26418c0d',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-a6722d16','node-26418c0d',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-a6722d16','node-26418c0d',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-a6722d16','node-26418c0d',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-a6722d16','node-26418c0d',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-a6722d16','node-26418c0d',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-a6722d16','node-26418c0d',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-a6722d16','node-26418c0d',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-a6722d16','node-26418c0d',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-a6722d16','node-26418c0d',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-a6722d16','node-26418c0d',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-a6722d16','node-26418c0d',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-a6722d16','node-26418c0d',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-a6722d16','node-26418c0d',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-a6722d16','node-26418c0d',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-a6722d16','node-26418c0d',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-a6722d16','node-26418c0d',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-a6722d16','node-26418c0d',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-a6722d16','node-26418c0d',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-a6722d16','node-26418c0d',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-a6722d16','node-26418c0d',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-a6722d16','node-26418c0d',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-a6722d16','node-26418c0d',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-a6722d16','node-26418c0d',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-a6722d16','node-26418c0d',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-a6722d16','node-26418c0d',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-a6722d16','node-26418c0d',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-a6722d16','node-26418c0d',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-a6722d16','node-26418c0d',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-a6722d16','node-26418c0d',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-a6722d16','node-26418c0d',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-a6722d16','node-26418c0d',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-a6722d16','node-26418c0d',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-a6722d16','node-26418c0d',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-a6722d16','node-26418c0d',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-a6722d16','node-26418c0d',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-a6722d16','node-26418c0d',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-a6722d16','node-26418c0d',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-a6722d16','node-26418c0d',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-a6722d16','node-26418c0d',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-a6722d16','node-26418c0d',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-a6722d16','node-26418c0d',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-a6722d16','node-26418c0d',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-a6722d16','node-26418c0d',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-a6722d16','node-26418c0d',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-a6722d16','node-26418c0d',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-a6722d16','node-26418c0d',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-a6722d16','node-26418c0d',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-a6722d16','node-26418c0d',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-a6722d16','node-26418c0d',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-a6722d16','node-26418c0d',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-a6722d16','node-26418c0d',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-a6722d16','node-26418c0d',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-a6722d16','node-26418c0d',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-a6722d16','node-26418c0d',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-a6722d16','node-26418c0d',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-a6722d16','node-26418c0d',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-a6722d16','node-26418c0d',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-a6722d16','node-26418c0d',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-a6722d16','node-26418c0d',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-a6722d16','node-26418c0d',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-a6722d16','node-26418c0d',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-a6722d16','node-26418c0d',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-a6722d16','node-26418c0d',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-a6722d16','node-26418c0d',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-a6722d16','node-26418c0d',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-a6722d16','node-26418c0d',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-a6722d16','node-26418c0d',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-a6722d16','node-26418c0d',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-a6722d16','node-26418c0d',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-a6722d16','node-26418c0d',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-a6722d16','node-26418c0d',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-a6722d16','node-26418c0d',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-a6722d16','node-26418c0d',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-a6722d16','node-26418c0d',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-a6722d16','node-26418c0d',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-a6722d16','node-26418c0d',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-a6722d16','node-26418c0d',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-a6722d16','node-26418c0d',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-a6722d16','node-26418c0d',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-a6722d16','node-26418c0d',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-a6722d16','node-26418c0d',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-a6722d16','node-26418c0d',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-a6722d16','node-26418c0d',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-a6722d16','node-26418c0d',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-a6722d16','node-26418c0d',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-a6722d16','node-26418c0d',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-a6722d16','node-26418c0d',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-a6722d16','node-26418c0d',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-a6722d16','node-26418c0d',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-a6722d16','node-26418c0d',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-a6722d16','node-26418c0d',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-ab31b3e3','node-9394d4a4',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-ab31b3e3','node-9394d4a4',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-ab31b3e3','node-9394d4a4',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-ab31b3e3','node-9394d4a4',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-ab31b3e3','node-9394d4a4',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-ab31b3e3','node-9394d4a4',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-ab31b3e3','node-9394d4a4',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-ab31b3e3','node-9394d4a4',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-ab31b3e3','node-9394d4a4',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-ab31b3e3','node-9394d4a4',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-ab31b3e3','node-9394d4a4',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-ab31b3e3','node-9394d4a4',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-ab31b3e3','node-9394d4a4',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-ab31b3e3','node-9394d4a4',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-ab31b3e3','node-9394d4a4',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-ab31b3e3','node-9394d4a4',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-ab31b3e3','node-9394d4a4',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-ab31b3e3','node-9394d4a4',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-ab31b3e3','node-9394d4a4',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-ab31b3e3','node-9394d4a4',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-ab31b3e3','node-9394d4a4',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-ab31b3e3','node-9394d4a4',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-ab31b3e3','node-9394d4a4',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-ab31b3e3','node-9394d4a4',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-ab31b3e3','node-9394d4a4',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-ab31b3e3','node-9394d4a4',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-ab31b3e3','node-9394d4a4',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-ab31b3e3','node-9394d4a4',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-ab31b3e3','node-9394d4a4',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-ab31b3e3','node-9394d4a4',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-ab31b3e3','node-9394d4a4',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-ab31b3e3','node-9394d4a4',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-ab31b3e3','node-9394d4a4',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-ab31b3e3','node-9394d4a4',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-ab31b3e3','node-9394d4a4',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-ab31b3e3','node-9394d4a4',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-ab31b3e3','node-9394d4a4',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-ab31b3e3','node-9394d4a4',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-ab31b3e3','node-9394d4a4',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-ab31b3e3','node-9394d4a4',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-ab31b3e3','node-9394d4a4',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-ab31b3e3','node-9394d4a4',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-ab31b3e3','node-9394d4a4',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-ab31b3e3','node-9394d4a4',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-ab31b3e3','node-9394d4a4',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-ab31b3e3','node-9394d4a4',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-ab31b3e3','node-9394d4a4',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-ab31b3e3','node-9394d4a4',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-ab31b3e3','node-9394d4a4',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-ab31b3e3','node-9394d4a4',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-ab31b3e3','node-9394d4a4',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-ab31b3e3','node-9394d4a4',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-ab31b3e3','node-9394d4a4',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-ab31b3e3','node-9394d4a4',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-ab31b3e3','node-9394d4a4',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-ab31b3e3','node-9394d4a4',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-ab31b3e3','node-9394d4a4',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-ab31b3e3','node-9394d4a4',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-ab31b3e3','node-9394d4a4',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-ab31b3e3','node-9394d4a4',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-ab31b3e3','node-9394d4a4',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-ab31b3e3','node-9394d4a4',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-ab31b3e3','node-9394d4a4',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-ab31b3e3','node-9394d4a4',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-ab31b3e3','node-9394d4a4',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-ab31b3e3','node-9394d4a4',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-ab31b3e3','node-9394d4a4',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-ab31b3e3','node-9394d4a4',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-ab31b3e3','node-9394d4a4',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-ab31b3e3','node-9394d4a4',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-ab31b3e3','node-9394d4a4',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-ab31b3e3','node-9394d4a4',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-ab31b3e3','node-9394d4a4',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-ab31b3e3','node-9394d4a4',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-ab31b3e3','node-9394d4a4',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-ab31b3e3','node-9394d4a4',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-ab31b3e3','node-9394d4a4',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-ab31b3e3','node-9394d4a4',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-ab31b3e3','node-9394d4a4',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-ab31b3e3','node-9394d4a4',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-ab31b3e3','node-9394d4a4',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-ab31b3e3','node-9394d4a4',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-ab31b3e3','node-9394d4a4',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-ab31b3e3','node-9394d4a4',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-ab31b3e3','node-9394d4a4',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-ab31b3e3','node-9394d4a4',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-ab31b3e3','node-9394d4a4',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-ab31b3e3','node-9394d4a4',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-ab31b3e3','node-9394d4a4',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-ab31b3e3','node-9394d4a4',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-ab31b3e3','node-9394d4a4',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-ab31b3e3','node-9394d4a4',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-ab31b3e3','node-9394d4a4',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-ab31b3e3','node-9394d4a4',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-ab31b3e3','node-9394d4a4',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-ab31b3e3','node-9394d4a4',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-ab31b3e3','node-9394d4a4',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-ab31b3e3','node-9394d4a4',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-ab31b3e3','node-9394d4a4',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-ab31b3e3','node-9394d4a4',100,1,2,400,4,0.5,0,1700000089.5);
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
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_losses_job_id ON losses (job_id);
CREATE INDEX ix_alarms_over_at_s ON alarms (over_at_s);
COMMIT;
